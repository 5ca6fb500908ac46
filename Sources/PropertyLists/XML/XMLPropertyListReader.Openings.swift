/// Finds where elements begin by reading the document again after a refusal; the first reading does not record it.
extension XMLPropertyListReader {
    private struct Opening {
        let name: String
        let position: SourcePosition
    }

    /// In longer lines, columns are counted in bytes; otherwise each of many tags would cost as much as its line.
    private static let countedColumns = 1_000

    /// The position of the innermost element that is open before a tag.
    ///
    /// - Parameters:
    ///   - name: the element's.
    ///   - place: where the tag begins, the column in bytes.
    /// - Returns: nil if it is not found, as in a file that has been written to since.
    static func opening(
        of name: String, before place: SourcePosition, in input: DocumentInput, limits: PropertyListLimits
    ) -> SourcePosition? {
        do {
            var reader = XMLPropertyListReader(
                window: try TextWindow.open(input, as: .xml, limits: limits), limits: limits)
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
                let opening = Opening(name: try tagName(from: 1), position: columnOfTag)
                window.advance(1)
                if try !finishStartTag() { open.append(opening) }
            }
        }
        return nil
    }

    private var columnOfTag: SourcePosition {
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
