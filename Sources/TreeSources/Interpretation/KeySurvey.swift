internal import Bytes
internal import Levels
internal import PropertyLists

/// Counts the keys of a document, to suggest which keys are structural. The memory that this takes is bounded.
struct KeySurvey: PropertyListConsumer {
    /// The values of one key in the dictionaries of one group.
    struct Uses {
        var texts = 0
        /// The number of arrays that contain dictionaries, directly or in nested arrays.
        var lists = 0
        /// The number of arrays that contain texts, and the number of these texts.
        var textLists = 0
        var textElements = 0
        /// The hashes of the first texts that differ from each other.
        fileprivate var values: Set<Int> = []
        /// The position of the key in the order of first appearance.
        let rank: Int

        init(rank: Int) { self.rank = rank }

        /// Whether most of the compared texts differ from each other.
        var isVaried: Bool { values.count * 2 > min(texts, KeySurvey.mostValues) }

        mutating func note(_ text: Span<UInt8>) {
            texts += 1
            if values.count < KeySurvey.mostValues { values.insert(text.hash) }
        }
    }

    /// The maximum number of different texts that are compared for one key.
    private static let mostValues = 64

    /// The dictionaries in the arrays under one key, anywhere in the document. The arrays are values of the key, or are
    /// entries of a dictionary that is a value of the key.
    struct Group {
        var dictionaries = 0
        var uses: [String: Uses] = [:]
    }

    enum Root { case dictionary, array, scalar }

    private struct Container {
        let isArray: Bool
        /// The group of a dictionary, or of the dictionaries in an array; nil if these dictionaries cannot be items.
        var group: Int?
        /// For a dictionary that is a value, the group of the dictionaries in its arrays.
        var named: Int?
        /// For an array that is an entry of a dictionary: the group of the dictionary, and the key of the entry.
        var owner: (group: Int, key: String)?
        /// For a dictionary, the key of the next value.
        var key: String?
        /// Whether the array's first dictionary or text has been counted.
        var isCounted = false
    }

    /// The groups. The first group is the root dictionary, or the dictionaries in the root array.
    private(set) var groups = [Group()]
    private(set) var root = Root.scalar
    /// The number of values, and the depth of nested containers.
    private(set) var values = 0
    private(set) var depth = 0
    private var numbers: [String: Int] = [:]
    private var keys = 0
    private var open: [Container] = []

    static let mostKeys = 1_000
    private static let mostGroups = 200
    private static let longestKey = 100

    /// The index in `groups` of the dictionaries in the arrays under a key; nil if the key does not have a group.
    func number(ofGroup key: String) -> Int? { numbers[key] }

    // MARK: Containers

    mutating func beginDictionary(at position: SourcePosition) {
        count(inList: \.lists)
        guard let parent = open.last else {
            root = .dictionary
            groups[0].dictionaries = 1
            return push(Container(isArray: false, group: 0))
        }
        if parent.isArray {
            if let group = parent.group { groups[group].dictionaries += 1 }
            return push(Container(isArray: false, group: parent.group))
        }
        let named = parent.group == nil ? nil : parent.key.flatMap { makeGroup($0) }
        push(Container(isArray: false, group: nil, named: named))
    }

    mutating func beginArray(at position: SourcePosition) {
        values += 1
        guard let parent = open.last else {
            root = .array
            return push(Container(isArray: true, group: 0))
        }
        if parent.isArray { return push(Container(isArray: true, group: parent.group, owner: parent.owner)) }
        guard let group = parent.group, let key = parent.key else {
            return push(Container(isArray: true, group: parent.named))
        }
        push(Container(isArray: true, group: makeGroup(key), owner: (group, key)))
    }

    private mutating func push(_ container: Container) {
        open.append(container)
        depth = max(depth, open.count)
    }

    private mutating func makeGroup(_ key: String) -> Int? {
        if let number = numbers[key] { return number }
        guard groups.count < Self.mostGroups else { return nil }
        numbers[key] = groups.count
        groups.append(Group())
        return groups.count - 1
    }

    mutating func endDictionary() { open.removeLast() }
    mutating func endArray() { open.removeLast() }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        let top = open.count - 1
        open[top].key = nil
        guard let group = open[top].group, name.count <= Self.longestKey else { return }
        let text = String(utf8: name)
        if groups[group].uses[text] == nil {
            guard keys < Self.mostKeys else { return }
            groups[group].uses[text] = Uses(rank: keys)
            keys += 1
        }
        open[top].key = text
    }

    // MARK: Values

    mutating func string(_ text: Span<UInt8>) {
        if let top = open.last, !top.isArray, let group = top.group, let key = top.key {
            groups[group].uses[key]?.note(text)
        }
        if let owner = open.last?.owner { groups[owner.group].uses[owner.key]?.textElements += 1 }
        count(inList: \.textLists)
    }

    /// Counts a value. If the value is the first dictionary or text of an array, the array is counted as well, in
    /// `uses`.
    private mutating func count(inList uses: WritableKeyPath<Uses, Int>) {
        values += 1
        guard let top = open.last, top.isArray, !top.isCounted else { return }
        open[open.count - 1].isCounted = true
        if let owner = top.owner { groups[owner.group].uses[owner.key]?[keyPath: uses] += 1 }
    }

    mutating func scalar(_ value: PropertyListScalar) { values += 1 }
    mutating func data(_ bytes: Span<UInt8>) { values += 1 }
    static var omitsNullEntries: Bool { true }
    mutating func null() { values += 1 }
}

extension Span<UInt8> {
    fileprivate var hash: Int {
        var hasher = Hasher()
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
