internal import PropertyLists

/// An element or an entry in a document's text.
struct TextSlot {
    /// From its first to its last code unit; of an entry, from the key on.
    let range: Range<Int>
    /// JSON: the comma behind it.
    var comma: Int?
    /// What is between key and value of an entry.
    var between = 0..<0

    /// Where it ends, with the comma.
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

/// An array or a dictionary in a document's text, with the places of those of its elements that matter.
struct TextList {
    /// The beginning and the end of the container; the end is empty in `<array/>`.
    let opening: Range<Int>
    var closing = 0..<0
    /// Where the line may begin that the container is on: its key, or the container itself.
    let anchor: Int
    /// The numbers of its elements.
    var numbers: Range<Int>
    /// Where the first element begins.
    var firstStart: Int?
    var slots: [Int: TextSlot] = [:]
    /// Whether it is a dictionary, whose elements are entries.
    private(set) var isDictionary = false
    /// What is between the keys and the values of a dictionary; nil if values begin on a line of their own.
    var keyGap: [UInt8]?

    init(_ opening: Range<Int>, anchor: Int, numbers: Range<Int>) {
        self.opening = opening
        self.anchor = anchor
        self.numbers = numbers
    }

    /// A dictionary, without the places of its entries.
    init(entriesOf dictionary: TextDictionary) {
        self.init(
            dictionary.opening, anchor: dictionary.anchor, numbers: dictionary.entries.indices)
        closing = dictionary.closing
        isDictionary = true
        firstStart = dictionary.entries.first?.key.lowerBound
    }

    /// A dictionary whose entries are all known.
    init(_ dictionary: TextDictionary) {
        self.init(entriesOf: dictionary)
        for (number, entry) in dictionary.entries.enumerated() { slots[number] = entry.slot }
    }

    /// An element whose place was looked for.
    ///
    /// - Throws: `PropertyListError` if it was not found.
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

    init(_ opening: Range<Int>, anchor: Int) {
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
    mutating func add(_ entry: OpenEntry, _ value: Range<Int>) {
        entries.append(TextEntry(name: entry.name, key: entry.key, value: value))
    }

    /// Notes the comma behind the last entry.
    mutating func noteComma(_ comma: Int?) {
        if !entries.isEmpty { entries[entries.count - 1].comma = comma }
    }

    /// The number of the entry that counts for a key: the last one.
    func entry(named name: [UInt8]) -> Int? { entries.lastIndex { $0.name == name } }
}

/// A container of a document's text with all that it contains.
enum TextContainer {
    case dictionary(TextDictionary)
    case array([Range<Int>])
}
