internal import Bytes
internal import PropertyLists

/// Counts the fields and texts of the dictionaries in one list or map, and chooses the fields for their titles and keys
/// (manual, Documents).
struct TitleSurvey {
    /// The values of one field in the dictionaries.
    private struct Field {
        let name: SurveyedName
        /// The name of the dictionary that has the field; nil for a field of the dictionaries themselves.
        let outer: SurveyedName?
        var count = Count()
    }

    /// The texts of one field.
    private struct Count {
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
    private struct TextKind {
        let hash: UInt64
        let isTitle: Bool
        let isNumber: Bool

        /// - Parameter isHashed: whether the hash is of use; otherwise it is 0.
        init(_ text: Span<UInt8>, isHashed: Bool) {
            hash = isHashed ? TableHash.of(text) : 0
            isTitle = text.count > 0 && text.count <= ShortText.mostBytes
            isNumber = isTitle && text.jsonNumberForm != nil
        }
    }

    /// The fields of this list, and of earlier lists with few fields: most lists of one depth have the same fields.
    private var fields: [Field] = []
    /// The hashes of the fields' paths, in the same order.
    private var hashes: [UInt64] = []
    /// The numbers of the fields by these hashes, if there are more than a few.
    private var numbers: [UInt64: Int] = [:]
    /// The field that follows the one that was found last: most dictionaries have their fields in the same order.
    private var next = 0
    private var mentions: [Mention] = []
    /// The fields in order of first appearance: first the fields of the dictionaries, then the fields one dictionary
    /// deeper.
    private var flat: [Int] = []
    private var deep: [Int] = []
    /// The number of dictionaries, of which the first thousand are examined for titles.
    private var dictionaries = 0
    private var keys = KeyCandidates()
    /// The latest choice: the number of the field of the titles, the candidates for keys, and both by name.
    private var latest: (field: Int?, keys: KeyCandidates.Places, titles: RowTitles) = (nil, [], RowTitles())

    /// Begins the survey of a list or map.
    mutating func begin() {
        guard fields.count <= Self.fewFields else {
            self = TitleSurvey()
            return
        }
        for field in fields.indices { fields[field].count = Count() }
        next = 0
        mentions.removeAll(keepingCapacity: true)
        flat.removeAll(keepingCapacity: true)
        deep.removeAll(keepingCapacity: true)
        dictionaries = 0
        keys.begin()
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
        _ name: Range<Int>, in outer: Range<Int>?, of bytes: borrowing ByteBuffer, text: Span<UInt8>?,
        knownNames: inout SurveyedNames
    ) {
        let nameHash = TableHash.of(bytes.span.extracting(name))
        var (hash, outerHash) = (nameHash, 0 as UInt64)
        if let outer {
            outerHash = TableHash.of(bytes.span.extracting(outer))
            hash = TableHash.of(nameHash ^ TableHash.of(outerHash))
        }
        let field: Int
        if let found = find(hash) {
            field = found
        } else {
            guard fields.count < Self.mostFields else { return }
            let own = knownNames.find(bytes.span.extracting(name), hash: nameHash)
            let outer = outer.map { knownNames.find(bytes.span.extracting($0), hash: outerHash) }
            field = fields.count
            add(Field(name: own, outer: outer), hash: hash)
        }
        next = field + 1
        var mention = Mention(field: field)
        if let text { mention.text = TextKind(text, isHashed: !fields[field].count.differs) }
        mentions.append(mention)
    }

    private func find(_ hash: UInt64) -> Int? {
        if next < hashes.count, hashes[next] == hash { return next }
        return fields.count > Self.fewFields ? numbers[hash] : hashes.firstIndex(of: hash)
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
        dictionaries += 1
        next = 0
        if !isMap { for mention in mentions { count(mention) } }
        mentions.removeAll(keepingCapacity: true)
    }

    private mutating func count(_ mention: Mention) {
        let field = mention.field
        if !fields[field].count.isSeen {
            let isFlat = fields[field].outer == nil
            guard (isFlat ? flat.count : deep.count) < Self.mostNames else { return }
            fields[field].count.isSeen = true
            if isFlat { flat.append(field) } else { deep.append(field) }
        }
        if let text = mention.text { fields[field].count.add(text) }
    }

    // MARK: The choice

    /// The titles and keys of the rows.
    ///
    /// - Parameter isMap: whether the dictionaries are the values of a map. Their names are then their keys, and only
    ///   fields with certain names can be titles.
    mutating func chosen(isMap: Bool) -> RowTitles {
        guard dictionaries > 0 else { return RowTitles() }
        let field = titleField(isMap: isMap)
        let places = isMap ? [] : keys.enough(of: dictionaries)
        guard field != latest.field || places != latest.keys || keys.hasNewSpelling else { return latest.titles }
        keys.hasNewSpelling = false
        var titles = RowTitles(keys: keys.spellings(places))
        if let field {
            titles.title = [fields[field].outer?.bytes, fields[field].name.bytes].compactMap(\.self)
        }
        latest = (field, places, titles)
        return titles
    }

    private var examined: Int { min(dictionaries, Self.mostDictionaries) }

    private func counts(_ field: Int) -> Bool { 2 * fields[field].count.titles >= examined }

    private func isConstant(_ field: Int) -> Bool {
        examined > 1 && fields[field].count.texts == examined && !fields[field].count.differs
    }

    private func titleField(isMap: Bool) -> Int? {
        if let found = firstByRank(flat, where: { counts($0) && !isConstant($0) }) ?? firstByRank(flat, where: counts) {
            return found
        }
        if !deep.isEmpty, let found = deepTitleField { return found }
        guard !isMap else { return nil }
        return flat.first(where: isTelling) ?? deep.first(where: isTelling)
    }

    /// The field one dictionary deeper whose name, or that of its dictionary, says that it is a title.
    private var deepTitleField: Int? {
        var below: [[UInt8]: [Int]] = [:]
        for field in deep { below[fields[field].outer?.bytes ?? [], default: []].append(field) }
        let named = flat.enumerated().sorted { first, second in
            (rank(first.element), first.offset) < (rank(second.element), second.offset)
        }
        for (_, outer) in named where fields[outer].name.rank != nil {
            let inner = below[fields[outer].name.bytes] ?? []
            let found = firstByRank(inner, where: counts)
            if let found = found ?? inner.first(where: { fields[$0].name.rank == nil && counts($0) }) { return found }
        }
        return firstByRank(deep) { fields[$0].outer?.rank == nil && counts($0) }
    }

    private func rank(_ field: Int) -> Int { fields[field].name.rank?.rawValue ?? .max }

    /// The first field of the best rank, among those with a rank that fit.
    private func firstByRank(_ candidates: [Int], where fits: (Int) -> Bool) -> Int? {
        var (best, bestRank): (Int?, Int) = (nil, .max)
        for field in candidates where rank(field) < bestRank && fits(field) { (best, bestRank) = (field, rank(field)) }
        return best
    }

    /// Whether the texts of a field with any name are different enough for titles.
    private func isTelling(_ field: Int) -> Bool {
        let count = fields[field].count
        return counts(field) && fields[field].name.canTell && 2 * count.numbers < count.titles && !isConstant(field)
    }
}

/// A name of fields.
struct SurveyedName {
    let bytes: [UInt8]
    /// The rank of the name as that of a title.
    let rank: TitleRank?
    /// Whether fields with the name may title rows if no name with a rank does.
    let canTell: Bool

    init(_ name: Span<UInt8>) {
        bytes = Array(copying: name)
        rank = TitleRank(name)
        canTell = !KeyCandidates.isKey(name) && !TitleRank.isTypeOrIdentifier(name)
    }
}

/// The names of a document's fields.
struct SurveyedNames {
    private var known: [UInt64: SurveyedName] = [:]
    private static let mostKnown = 10_000

    mutating func find(_ name: Span<UInt8>, hash: UInt64) -> SurveyedName {
        if let found = known[hash] { return found }
        if known.count >= Self.mostKnown { known.removeAll(keepingCapacity: true) }
        let found = SurveyedName(name)
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
    /// Numbers of `names`.
    struct Places: OptionSet {
        let rawValue: UInt8
    }

    private struct Candidate {
        /// The first spelling in the list.
        var spelling: [UInt8] = []
        var isSeen = false
        /// The number of dictionaries with a key under the spelling.
        var count = 0
    }

    private var candidates: [Candidate] = Array(repeating: Candidate(), count: names.count)
    /// Whether a spelling has changed since this was last set to false.
    var hasNewSpelling = false

    private static let names: [StaticString] = ["id", "_id", "key", "slug", "uuid", "code"]

    static func isKey(_ name: Span<UInt8>) -> Bool { place(of: name) != nil }

    private static func place(of name: Span<UInt8>) -> Int? {
        guard name.count >= 2, name.count <= 4 else { return nil }
        return names.firstIndex { name.isEqual(ignoringCase: $0) }
    }

    /// Begins with a list.
    mutating func begin() {
        for place in candidates.indices { (candidates[place].isSeen, candidates[place].count) = (false, 0) }
    }

    mutating func note(_ name: Span<UInt8>, isKey: Bool) {
        guard let place = Self.place(of: name) else { return }
        let spelling = candidates[place].spelling
        let isSpelling = spelling.span.isEqual(to: name)
        if !candidates[place].isSeen {
            candidates[place].isSeen = true
            if !isSpelling { (candidates[place].spelling, hasNewSpelling) = (Array(copying: name), true) }
            if isKey { candidates[place].count = 1 }
        } else if isSpelling, isKey {
            candidates[place].count += 1
        }
    }

    /// The names under which at least half of the dictionaries have a key.
    func enough(of dictionaries: Int) -> Places {
        var places: Places = []
        for (place, candidate) in candidates.enumerated() where candidate.isSeen && 2 * candidate.count >= dictionaries
        {
            places.insert(Places(rawValue: 1 << place))
        }
        return places
    }

    /// The spellings of names, in their order.
    func spellings(_ places: Places) -> [[UInt8]] {
        candidates.indices.filter { places.contains(Places(rawValue: 1 << $0)) }.map { candidates[$0].spelling }
    }
}
