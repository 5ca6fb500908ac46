import Bytes

/// Tags that do not match the open element.
extension XMLPropertyListReader {
    /// The error of another tag in place of an element's end tag. The message names the line on which the element begins.
    struct Mismatch {
        let element: String
        /// The tag in the document, such as `</array>`.
        let tag: String
        /// The position of the tag, with its column in bytes.
        let place: SourcePosition
        let kind: Kind

        enum Kind {
            /// An end tag of another element.
            case wrongEndTag
            /// An end tag of an unknown element.
            case misspeltEndTag
            /// A tag that cannot be inside a text, so that the end tag of the text must be missing.
            case unclosedText
        }

        /// The message. It names a line only if the beginning of the element is known.
        func refusal(openedAt opening: SourcePosition?) -> PropertyListError {
            var line = ""
            if case .text(let number, _) = opening { line = "opened on line \(number)" }
            switch kind {
            case .wrongEndTag:
                let opened = line.isEmpty ? "which" : "which was \(line) and"
                return PropertyListError(
                    reason: "\(tag) does not match <\(element)>, \(opened) must be closed by </\(element)>")
            case .misspeltEndTag:
                let opened = line.isEmpty ? "" : ", \(line),"
                return PropertyListError(
                    reason: "\(tag) is misspelt; <\(element)>\(opened) must be closed by </\(element)>")
            case .unclosedText:
                var before = tag
                if case .text(let number, _) = place { before += " on line \(number)" }
                return PropertyListError(
                    reason:
                        "<\(element)> is not closed; write </\(element)> before \(before), or '&lt;' for a '<' that belongs to the text",
                    at: opening)
            }
        }
    }

    private static let containers = ["dict", "array", "plist"]
    private static let texts = ["key", "string", "integer", "real", "date", "data", "true", "false"]

    /// Records that the end tag at the cursor does not match the open element. Returns the error.
    mutating func wrongEndTag(of element: String) throws(PropertyListError) -> PropertyListError {
        let name = try tagName(from: 2)
        let isKnown = Self.containers.contains(name) || Self.texts.contains(name)
        return note(element, tag: "</\(quoted: name)>", kind: isKnown ? .wrongEndTag : .misspeltEndTag)
    }

    /// Records that the tag at the cursor is not allowed in the text of an element. Returns the error.
    mutating func markup(inTextOf element: String) throws(PropertyListError) -> PropertyListError {
        let isEnd = try window.peek(1) == UInt8(ascii: "/")
        let name = try tagName(from: isEnd ? 2 : 1)
        if isEnd, !name.isEmpty, !Self.containers.contains(name) { return try wrongEndTag(of: element) }
        guard Self.containers.contains(name) || Self.texts.contains(name) else {
            return PropertyListError(
                reason: "markup appears inside text that '</\(element)>' must close; write '<' as '&lt;'")
        }
        return note(element, tag: isEnd ? "</\(name)>" : "<\(name)>", kind: .unclosedText)
    }

    private mutating func note(_ element: String, tag: String, kind: Mismatch.Kind) -> PropertyListError {
        let found = Mismatch(element: element, tag: tag, place: window.roughPosition, kind: kind)
        mismatch = found
        return found.refusal(openedAt: nil)
    }

    /// The name in the tag at the cursor, up to a useful length.
    mutating func tagName(from start: Int) throws(PropertyListError) -> String {
        var end = start
        while end < start + 400, let byte = try window.peek(end), Self.isNameByte(byte) {
            end += 1
        }
        return String(utf8: window.text(start..<end))
    }
}

/// Finds the beginning of an element. The document is read again after a refusal, because recording the beginnings of
/// all elements would slow down each load.
extension XMLPropertyListReader {
    private typealias Opening = (name: String, position: SourcePosition)

    /// From this column on, columns are counted in bytes. Counting the characters would read the line from its
    /// beginning again for each tag.
    private static let countedColumns = 1_000

    /// The position of the innermost element that is open before a tag.
    ///
    /// - Parameters:
    ///   - name: the name of the element.
    ///   - place: the position of the tag, with its column in bytes.
    /// - Returns: the position; nil if the element is not found, because the file has changed since the refusal.
    static func opening(
        of name: String, before place: SourcePosition, in input: DocumentInput, limits: PropertyListLimits
    ) -> SourcePosition? {
        do {
            var reader = try XMLPropertyListReader(input: input, limits: limits)
            guard let found = try reader.innermostOpening(before: place), found.name == name else { return nil }
            return found.position
        } catch {
            return nil
        }
    }

    private mutating func innermostOpening(before place: SourcePosition) throws(PropertyListError) -> Opening? {
        var open: [Opening] = []
        let bracket = UInt8(ascii: "<")
        while let found = try window.find(bracket, bracket, bracket, from: 0) {
            window.advanceCountingLines(found)
            if window.roughPosition == place { return open.last }
            switch try window.peek(1) {
            case UInt8(ascii: "!"): try skipDeclaration()
            case UInt8(ascii: "?"): try skipProcessingInstruction()
            case UInt8(ascii: "/"):
                _ = open.popLast()
                window.advance(2)
            default:
                let opening = (name: try tagName(from: 1), position: positionOfTag)
                window.advance(1)
                if try !finishStartTag() { open.append(opening) }
            }
        }
        return nil
    }

    private var positionOfTag: SourcePosition {
        let rough = window.roughPosition
        if case .text(_, let column) = rough, column > Self.countedColumns { return rough }
        return window.position
    }

    private mutating func skipDeclaration() throws(PropertyListError) {
        if try window.matches("<!--", at: 0) {
            try skipComment()
        } else if try window.matches("<![CDATA[", at: 0) {
            if let end = try window.findEnd(of: "]]>", from: 9) { window.advanceCountingLines(end) }
        } else {
            try skipDocumentType()
        }
    }
}
