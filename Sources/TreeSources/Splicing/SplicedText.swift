internal import PropertyLists

/// The characters of a document, read in any order, a few at a time.
struct SplicedText {
    let document: DocumentText
    let syntax: FragmentWriter.Syntax
    private var block: [UInt8] = []
    private var blockStart = 0

    private static let blockUnits = 4_096

    init(document: DocumentText, syntax: FragmentWriter.Syntax) {
        self.document = document
        self.syntax = syntax
    }

    /// The character at a place; nil if the place is outside the document.
    mutating func character(_ place: Int) throws(PropertyListError) -> UInt8? {
        guard place >= 0, place < document.count else { return nil }
        if place < blockStart || place >= blockStart + block.count {
            blockStart = place / Self.blockUnits * Self.blockUnits
            block = try document.characters(blockStart..<min(blockStart + Self.blockUnits, document.count))
        }
        return block[place - blockStart]
    }

    mutating func characters(_ range: Range<Int>) throws(PropertyListError) -> [UInt8] {
        var found: [UInt8] = []
        for place in range { if let character = try character(place) { found.append(character) } }
        return found
    }

    /// Whether a text is at a place of the document.
    mutating func matches(_ text: StaticString, at place: Int) throws(PropertyListError) -> Bool {
        for offset in 0..<text.utf8CodeUnitCount {
            let expected = unsafe text.utf8Start[offset]
            guard try character(place + offset) == expected else { return false }
        }
        return true
    }

    // MARK: Lines

    /// The beginning of the blanks that end at a place.
    mutating func blanks(before place: Int) throws(PropertyListError) -> Int {
        var start = place
        while let character = try character(start - 1), character.isBlank { start -= 1 }
        return start
    }

    /// The end of the blanks that begin at a place.
    mutating func blanks(after place: Int) throws(PropertyListError) -> Int {
        var end = place
        while let character = try character(end), character.isBlank { end += 1 }
        return end
    }

    /// The indentation of a line, if a place is its first character after the blanks; otherwise nil.
    mutating func indent(of place: Int) throws(PropertyListError) -> [UInt8]? {
        let start = try blanks(before: place)
        guard let before = try character(start - 1) else { return try characters(start..<place) }
        return before.isLineBreak ? try characters(start..<place) : nil
    }

    /// The indentation of the line around a place; nil if the beginning of the line is far away.
    mutating func lineIndent(around place: Int) throws(PropertyListError) -> [UInt8]? {
        var start = place
        while let character = try character(start - 1), !character.isLineBreak {
            start -= 1
            guard place - start < Self.blockUnits else { return nil }
        }
        return try characters(start..<min(blanks(after: start), place))
    }

    /// The beginning of the blanks that end at a place. If a line break precedes these blanks, the beginning of the
    /// line break.
    mutating func lineBreak(before place: Int) throws(PropertyListError) -> Int {
        let start = try blanks(before: place)
        guard try character(start - 1) == UInt8(ascii: "\n") else {
            return try character(start - 1) == UInt8(ascii: "\r") ? start - 1 : start
        }
        return try character(start - 2) == UInt8(ascii: "\r") ? start - 2 : start - 1
    }

    /// The end of a line, seen from a place on it.
    struct LineEnd {
        /// The end of the last comment after the place; without a comment, the place itself.
        let comments: Int
        /// The end of the line; nil if anything but comments follows the place.
        let end: Int?
    }

    /// Finds the end of the line after a place.
    mutating func lineEnd(after place: Int) throws(PropertyListError) -> LineEnd {
        var comments = place
        while true {
            let next = try blanks(after: comments)
            guard let character = try character(next) else { return LineEnd(comments: comments, end: next) }
            if character.isLineBreak { return LineEnd(comments: comments, end: next) }
            guard syntax == .xml, try matches("<!--", at: next) else { return LineEnd(comments: comments, end: nil) }
            var end = next + 4
            while try !matches("-->", at: end) {
                guard let inside = try self.character(end), !inside.isLineBreak else {
                    return LineEnd(comments: comments, end: nil)
                }
                end += 1
            }
            comments = end + 3
        }
    }

    /// The attributes of the tag at a place, without the white space around them.
    mutating func attributes(ofTagAt place: Int) throws(PropertyListError) -> Range<Int> {
        var end = place + 1
        while let character = try character(end), character > 0x20, !character.endsTag { end += 1 }
        while let character = try character(end), character <= 0x20 { end += 1 }
        let start = end
        var last = end
        var quote: UInt8?
        while let character = try character(end), quote != nil || !character.endsTag {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == UInt8(ascii: "\"") || character == UInt8(ascii: "'") {
                quote = character
            }
            end += 1
            if character > 0x20 { last = end }
        }
        return start..<last
    }

    /// Whether a line ends within a range.
    mutating func hasLineBreak(in range: Range<Int>) throws(PropertyListError) -> Bool {
        for place in range { if try character(place)?.isLineBreak == true { return true } }
        return false
    }

    /// The characters of a range if they are blanks; nil otherwise.
    mutating func blanks(in range: Range<Int>) throws(PropertyListError) -> [UInt8]? {
        let found = try characters(range)
        return found.allSatisfy(\.isBlank) ? found : nil
    }

    /// Whether a space follows the first colon after a place; true if no colon is near.
    mutating func isSpaced(near place: Int) throws(PropertyListError) -> Bool {
        for near in place..<place + Self.blockUnits {
            guard try character(near) == UInt8(ascii: ":") else { continue }
            return try character(near + 1)?.isBlank == true
        }
        return true
    }

    /// The line break nearest to a place: a line feed, a carriage return, or both. Without a line break nearby, a line
    /// feed.
    mutating func lineBreak(around place: Int) throws(PropertyListError) -> [UInt8] {
        for direction in [-1, 1] {
            var near = place
            while abs(near - place) < Self.blockUnits, let character = try character(near) {
                if character == UInt8(ascii: "\n") {
                    return try self.character(near - 1) == UInt8(ascii: "\r") ? [13, 10] : [10]
                }
                if character == UInt8(ascii: "\r"), try self.character(near + 1) != UInt8(ascii: "\n") { return [13] }
                near += direction
            }
        }
        return [10]
    }
}

extension UInt8 {
    /// A space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    /// The end of a tag, or the slash before it.
    fileprivate var endsTag: Bool { self == UInt8(ascii: ">") || self == UInt8(ascii: "/") }
    var isLineBreak: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}

/// An element or an entry in a document's text.
struct TextSlot {
    /// The code units of the element. An entry begins at its key.
    let range: Range<Int>
    /// The position of the comma after the element; nil in XML, and after the last element.
    var comma: Int?
    /// The text between the key and the value of an entry.
    var between = 0..<0

    /// The end of the element, including the comma.
    var end: Int { comma.map { $0 + 1 } ?? range.upperBound }
}

/// An entry of a dictionary in a document's text.
struct TextEntry {
    let name: [UInt8]
    let key, value: Range<Int>
    var comma: Int?

    var slot: TextSlot {
        TextSlot(
            range: key.lowerBound..<value.upperBound, comma: comma, between: key.upperBound..<value.lowerBound)
    }
}

/// An array or a dictionary in a document's text, with the places of the elements that are needed.
struct TextList {
    /// The texts that begin and end the container. `closing` is empty for `<array/>`.
    let opening: Range<Int>
    var closing = 0..<0
    /// The beginning of the container's key; for a container without a key, the beginning of the container itself.
    let anchor: Int
    /// The numbers of the container's elements.
    var numbers: Range<Int>
    /// The beginning of the first element; nil in an empty container.
    var firstStart: Int?
    var slots: [Int: TextSlot] = [:]
    /// Whether the container is a dictionary, whose elements are entries.
    private(set) var isDictionary = false
    /// The text between the keys and the values of a dictionary; nil if values begin on lines of their own.
    var keyGap: [UInt8]?

    init(opening: Range<Int>, anchor: Int, numbers: Range<Int>) {
        self.opening = opening
        self.anchor = anchor
        self.numbers = numbers
    }

    /// Creates the list of a dictionary's entries, without the places of the entries.
    init(entriesOf dictionary: TextDictionary) {
        self.init(
            opening: dictionary.opening, anchor: dictionary.anchor, numbers: dictionary.entries.indices)
        closing = dictionary.closing
        isDictionary = true
        firstStart = dictionary.entries.first?.key.lowerBound
    }

    /// Creates the list of a dictionary's entries, with the places of the entries.
    init(_ dictionary: TextDictionary) {
        self.init(entriesOf: dictionary)
        for (number, entry) in dictionary.entries.enumerated() { slots[number] = entry.slot }
    }

    /// The element with a number.
    ///
    /// - Throws: `PropertyListError` if the element was not found in the text.
    func slot(_ number: Int) throws(PropertyListError) -> TextSlot {
        guard let slot = slots[number] else { throw .notWhatWasRead }
        return slot
    }
}

/// A dictionary in a document's text.
struct TextDictionary {
    let opening: Range<Int>
    var closing = 0..<0
    let anchor: Int
    var entries: [TextEntry] = []

    init(opening: Range<Int>, anchor: Int) {
        self.opening = opening
        self.anchor = anchor
    }

    /// An entry whose value has begun.
    struct OpenEntry {
        let name: [UInt8]
        let key: Range<Int>
        let value: DocumentToken
    }

    /// Adds an entry whose value has ended.
    mutating func add(_ entry: OpenEntry, value: Range<Int>) {
        entries.append(TextEntry(name: entry.name, key: entry.key, value: value))
    }

    /// Records the comma after the last entry.
    mutating func noteComma(_ comma: Int?) {
        if !entries.isEmpty { entries[entries.count - 1].comma = comma }
    }
}

/// A container in a document's text, with its elements.
enum TextContainer {
    case dictionary(TextDictionary)
    case array([Range<Int>])
}
