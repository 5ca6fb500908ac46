internal import Bytes
internal import PropertyLists

/// Counts the fields and texts of the dictionaries in one list or map, and chooses the fields for their titles and keys
/// (manual, Documents).
struct TitleSurvey {
    /// The values of one field in the dictionaries. The field can be one dictionary deeper.
    private struct Field {
        let path: [[UInt8]]
        let rank: TitleRank?
        /// The number of texts, how many of these can be titles, and how many of the titles are JSON numbers.
        var texts = 0
        var titles = 0
        var numbers = 0
        /// The hash of the first text, and whether another differs.
        var first: UInt64 = 0
        var differs = false
        /// Whether a dictionary that is not a map has the field.
        var isSeen = false

        mutating func add(_ text: TextKind) {
            if texts == 0 { first = text.hash } else if text.hash != first { differs = true }
            texts += 1
            if text.isTitle { titles += 1 }
            if text.isNumber { numbers += 1 }
        }
    }

    /// A field of the current dictionary. The field counts at the end of the dictionary, because a map does not get a
    /// title.
    private struct Mention {
        let field: Int
        var text: TextKind?
    }

    /// The properties of a text that count.
    struct TextKind {
        let hash: UInt64
        let isTitle: Bool
        let isNumber: Bool

        init(_ text: Span<UInt8>) {
            hash = TableHash.of(text)
            isTitle = text.count > 0 && text.count <= ShortText.mostBytes
            isNumber = isTitle && text.jsonNumberForm != nil
        }
    }

    private var fields: [Field] = []
    /// The hashes of the fields' paths, in the same order.
    private var hashes: [UInt64] = []
    /// The numbers of the fields by these hashes, if there are more than a few.
    private var numbers: [UInt64: Int] = [:]
    private var mentions: [Mention] = []
    /// The fields in order of first appearance: first the fields of the dictionaries, then the fields one dictionary
    /// deeper.
    private var flat: [Int] = []
    private var deep: [Int] = []
    /// The number of dictionaries, of which the first thousand are examined for titles.
    private var dictionaries = 0
    private var keys = KeyCandidates()

    /// Begins the survey of a list or map.
    mutating func begin() {
        // The memory of a few fields suits the next list, too.
        guard fields.count <= Self.fewFields else {
            self = TitleSurvey()
            return
        }
        fields.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        mentions.removeAll(keepingCapacity: true)
        flat.removeAll(keepingCapacity: true)
        deep.removeAll(keepingCapacity: true)
        dictionaries = 0
        keys = KeyCandidates()
    }

    /// The number of fields that are found by a search through all of them.
    private static let fewFields = 32
    private static let mostDictionaries = 1_000
    private static let mostNames = 1_000
    /// The maximum number of fields that are kept. Fields that only maps have are kept, but do not count.
    private static let mostFields = 4_000

    /// Whether the names of the next dictionary are examined.
    var takesNames: Bool { dictionaries < Self.mostDictionaries }

    // MARK: One dictionary

    /// Notes an entry of the dictionary that is being read, or of a dictionary in it.
    ///
    /// - Parameters:
    ///   - name: the name, as a range of `bytes`.
    ///   - outer: the name of the inner dictionary; nil for an entry of the dictionary itself.
    mutating func note(
        _ name: Range<Int>, in outer: Range<Int>?, of bytes: borrowing ByteBuffer, text: TextKind?,
        knownNames: inout SurveyedNames
    ) {
        let nameHash = TableHash.of(bytes.span.extracting(name))
        var (hash, outerHash) = (nameHash, 0 as UInt64)
        if let outer {
            outerHash = TableHash.of(bytes.span.extracting(outer))
            hash = TableHash.of(nameHash ^ TableHash.of(outerHash))
        }
        var number = find(hash)
        if number == nil {
            guard fields.count < Self.mostFields else { return }
            let (own, rank) = knownNames.find(bytes.span.extracting(name), hash: nameHash)
            var path = [own]
            if let outer { path.insert(knownNames.find(bytes.span.extracting(outer), hash: outerHash).name, at: 0) }
            number = fields.count
            add(Field(path: path, rank: rank), hash: hash)
        }
        mentions.append(Mention(field: number ?? 0, text: text))
    }

    private func find(_ hash: UInt64) -> Int? {
        fields.count > Self.fewFields ? numbers[hash] : hashes.firstIndex(of: hash)
    }

    private mutating func add(_ field: Field, hash: UInt64) {
        fields.append(field)
        hashes.append(hash)
        guard fields.count > Self.fewFields else { return }
        if numbers.isEmpty { for (number, hash) in hashes.enumerated() { numbers[hash] = number } }
        numbers[hash] = fields.count - 1
    }

    /// Notes a text or an integer that may be the key of the dictionary that is being read.
    ///
    /// - Parameter name: the name, as a range of `bytes`.
    mutating func noteKey(_ name: Range<Int>, of bytes: borrowing ByteBuffer, isKey: Bool) {
        keys.note(bytes.span.extracting(name), isKey: isKey)
    }

    /// Ends a dictionary.
    mutating func endDictionary(isMap: Bool) {
        defer {
            dictionaries += 1
            mentions.removeAll(keepingCapacity: true)
        }
        guard !isMap else { return }
        for mention in mentions {
            if !fields[mention.field].isSeen {
                let isFlat = fields[mention.field].path.count == 1
                guard (isFlat ? flat.count : deep.count) < Self.mostNames else { continue }
                fields[mention.field].isSeen = true
                if isFlat { flat.append(mention.field) } else { deep.append(mention.field) }
            }
            guard let text = mention.text else { continue }
            fields[mention.field].add(text)
        }
    }

    // MARK: The choice

    /// The titles and keys of the rows.
    ///
    /// - Parameter isMap: whether the dictionaries are the values of a map. Their names are then their keys, and only
    ///   fields with certain names can be titles.
    func chosen(isMap: Bool) -> RowTitles {
        guard dictionaries > 0 else { return RowTitles() }
        return RowTitles(
            title: titleField(isMap: isMap).map { fields[$0].path } ?? [],
            keys: isMap ? [] : keys.enough(of: dictionaries))
    }

    private var examined: Int { min(dictionaries, Self.mostDictionaries) }

    private func counts(_ field: Int) -> Bool { 2 * fields[field].titles >= examined }

    private func isConstant(_ field: Int) -> Bool {
        examined > 1 && fields[field].texts == examined && !fields[field].differs
    }

    private func titleField(isMap: Bool) -> Int? {
        let named = Self.inRank(flat) { fields[$0].rank }
        let counting = named.filter(counts)
        if let telling = counting.first(where: { !isConstant($0) }) ?? counting.first { return telling }
        var below: [[UInt8]: [Int]] = [:]
        for field in deep { below[fields[field].path[0], default: []].append(field) }
        for outer in named {
            let inner = below[fields[outer].path[0]] ?? []
            let ordered = Self.inRank(inner) { fields[$0].rank } + inner.filter { fields[$0].rank == nil }
            if let found = ordered.first(where: counts) { return found }
        }
        let beside = deep.filter { field in
            let outer = fields[field].path[0]
            return TitleRank(outer.span) == nil
        }
        if let found = Self.inRank(beside, by: { fields[$0].rank }).first(where: counts) { return found }
        guard !isMap else { return nil }
        return flat.first(where: isTelling) ?? deep.first(where: isTelling)
    }

    /// Whether the texts of a field with any name are different enough for titles.
    private func isTelling(_ field: Int) -> Bool {
        let name = fields[field].path[fields[field].path.count - 1]
        return counts(field) && !KeyCandidates.isKey(name.span) && !TitleRank.isTypeOrIdentifier(name.span)
            && 2 * fields[field].numbers < fields[field].titles && !isConstant(field)
    }

    /// The fields that have a rank, by rank, and of one rank in their order.
    private static func inRank(_ fields: [Int], by rank: (Int) -> TitleRank?) -> [Int] {
        let ranked = fields.enumerated().compactMap { place, field in
            rank(field).map { (rank: $0.rawValue, place: place, field: field) }
        }
        return ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.field)
    }
}

/// The names of a document's fields, each with its rank as the name of a title.
struct SurveyedNames {
    private var known: [UInt64: (name: [UInt8], rank: TitleRank?)] = [:]
    private static let mostKnown = 10_000

    mutating func find(_ name: Span<UInt8>, hash: UInt64) -> (name: [UInt8], rank: TitleRank?) {
        if let found = known[hash] { return found }
        if known.count >= Self.mostKnown { known.removeAll(keepingCapacity: true) }
        let found = (name: Array(copying: name), rank: TitleRank(name))
        known[hash] = found
        return found
    }
}

/// How well a name says that it is a title: the place of the name in the list of names; a lower rank is better.
public struct TitleRank: RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The rank of a name, compared without case, `_` and `-`; nil for a name that says nothing about titles.
    public init?(_ name: Span<UInt8>) {
        let bare = Self.bare(name)
        if let place = Self.names.firstIndex(of: bare) {
            rawValue = place
        } else if bare.hasSuffix("title") || bare.hasSuffix("name") {
            rawValue = Self.names.count
        } else {
            return nil
        }
    }

    /// Whether the name only ends in `title` or `name`.
    public var isEnding: Bool { rawValue == Self.names.count }

    private static let names = [
        "title", "name", "label", "displayname", "heading", "caption", "headline", "subject", "question", "summary",
        "message", "msg", "text",
    ]

    /// Whether a name is `type`, or ends in `id`.
    public static func isTypeOrIdentifier(_ name: Span<UInt8>) -> Bool {
        let bare = bare(name)
        return bare == "type" || bare.hasSuffix("id")
    }

    private static func bare(_ name: Span<UInt8>) -> String {
        String(utf8: name).lowercased().filter { $0 != "_" && $0 != "-" }
    }
}

/// The names under which the dictionaries of a list may have keys.
struct KeyCandidates {
    /// For each of `names`, the first spelling, and the number of dictionaries with a key under it.
    private var found: [(spelling: [UInt8], count: Int)?] = Array(repeating: nil, count: names.count)

    private static let names: [StaticString] = ["id", "_id", "key", "slug", "uuid", "code"]

    static func isKey(_ name: Span<UInt8>) -> Bool { place(of: name) != nil }

    private static func place(of name: Span<UInt8>) -> Int? {
        guard name.count >= 2, name.count <= 4 else { return nil }
        return names.firstIndex { name.isEqual(ignoringCase: $0) }
    }

    mutating func note(_ name: Span<UInt8>, isKey: Bool) {
        guard let place = Self.place(of: name) else { return }
        let spelling = found[place]?.spelling ?? Array(copying: name)
        let count = found[place]?.count ?? 0
        found[place] = (spelling, isKey && spelling.span.isEqual(to: name) ? count + 1 : count)
    }

    /// The names under which at least half of the dictionaries have a key.
    func enough(of dictionaries: Int) -> [[UInt8]] {
        found.compactMap { $0.flatMap { 2 * $0.count >= dictionaries ? $0.spelling : nil } }
    }
}
