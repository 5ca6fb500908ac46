@testable import DrilldownClient

/// Random documents, questions and edits, the same for a seed in every run.
struct RandomPreview {
    private var random: Seeded
    /// The number of items that were made.
    private(set) var made = 0

    init(seed: UInt64) { random = Seeded(state: seed) }

    mutating func one(in count: Int) -> Bool { below(count) == 0 }
    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    private static let titles = [
        "Étude", "etude", "A-etude", "3etude", "Quietude", "Ärger", "STRASSE", "Straße", "ıI", "İi", "Zebra", "10", "2",
        "-3", "1e2", "𝒳", "#1", "", "日本", "ﬁsh", "Ωmega", "e\u{301}tude", "naïve x", "ΣΑΣ", "~1", ".", "a/b", "Ǆ",
        "tea tea",
    ]
    private static let texts: [FieldValue] = [
        "coat", "Coat", "coät", "shirt", "", "2001-03-12", "12", "12.0", "-0", "1e400", "true", "nan", " 7",
        .text(String(repeating: "long ", count: 60)),
    ]
    private static let numbers: [FieldValue] = [
        0, 1, 12, -3, 12.0, 12.5, 9_007_199_254_740_993, 9_007_199_254_740_992, 9_007_199_254_740_992.0, 1e300,
        .unsigned(.max), 18_446_744_073_709_551_616.0,
    ]

    private mutating func value(depth: Int = 1) -> FieldValue {
        switch below(depth > 0 ? 6 : 4) {
        case 0, 1: pick(Self.texts)
        case 2: pick(Self.numbers)
        case 3: .boolean(one(in: 2))
        case 4: .list((0..<below(3)).map { _ in value(depth: depth - 1) })
        default: .dictionary(["Town": value(depth: 0), "Zip": value(depth: 0)])
        }
    }

    /// - Parameter isKeyed: whether the item has a key of its own, so that its path stays the same.
    mutating func item(depth: Int, isKeyed: Bool = false) -> FieldValue {
        if !isKeyed, one(in: 6) { return .text(pick(Self.titles)) }
        var fields: Fields = ["Title": .text(pick(Self.titles))]
        made += 1
        if isKeyed || one(in: 4) { fields["Key"] = .text(pick(["k", "ä", "K l", "a/b"]) + String(made)) }
        if one(in: 12) { fields["Title"] = pick([5, 12.5]) }
        for name in ["Price", "Kind", "Tags", "Info", "Info.Town", "a:b"] where one(in: name == "Info.Town" ? 8 : 2) {
            fields[name] = value()
        }
        guard depth > 0, one(in: 2) else { return .dictionary(fields) }
        if one(in: 5) { fields["SortBy"] = pick(["Title", "-Price,Title", ""]) }
        if one(in: 5) { fields["GroupBy"] = pick(["initial", "Kind", ""]) }
        switch below(4) {
        case 0: fields["Children"] = .list((0...below(3)).map { _ in .list(rows(depth: depth - 1)) })
        case 1:
            fields["Sections"] = .list(
                (0...below(3)).map { number in
                    var section: Fields = ["Rows": .list(rows(depth: depth - 1))]
                    if one(in: 2) { section["Title"] = .text("Section \(number)") }
                    if one(in: 3) { section["Index"] = "S" }
                    if one(in: 3) { section["Footer"] = "foot" }
                    return .dictionary(section)
                })
        case 2:
            fields["Sections"] = ["one": .list(rows(depth: depth - 1)), "two": .list(rows(depth: depth - 1))]
            if one(in: 2) { fields["SectionKeys"] = pick([["two", "one"], ["two"]]) }
        default: fields["Children"] = .list(rows(depth: depth - 1))
        }
        return .dictionary(fields)
    }

    private mutating func rows(depth: Int) -> [FieldValue] { (0..<below(6)).map { _ in item(depth: depth) } }

    /// A document: the list of its items, or the fields of its root.
    mutating func document() -> FieldValue {
        var items = (0..<10).map { _ in item(depth: 3) }
        items.append(["Title": "last", "Children": .list((0..<4).map { _ in item(depth: 2) })])
        return one(in: 2) ? .list(items) : ["Title": "Top", "Note": 1, "Children": .list(items)]
    }

    // MARK: Questions

    private static let names = [
        "Title", "Price", "Kind", "Tags", "Info", "Info.Town", "Key", "Nothing", "a:b", "Info.Zip.x",
    ]
    private static let words = ["etude", "ÉTUDE", "e", "no", "ss", "coat", "i", "ω", "1", "σ", "tea", "\u{301}", "x"]

    private mutating func condition() -> String {
        let name = pick(Self.names).replacing(":", with: "\\:")
        let sign = pick([":", "!", "<", "<=", ">", ">=", "~", "!~", "=", "!=", "<>", "=~"])
        let value =
            one(in: 2) ? pick(Self.words) : pick(Self.texts + Self.numbers + ["true", "2001-03-12"]).description
        switch below(12) {
        case 0: return name
        case 1: return "!" + name
        case 2: return sign + value
        default: return name + sign + value
        }
    }

    /// - Parameter paths: the paths of the items of the document.
    mutating func query(_ paths: [ItemPath]) -> LevelQuery {
        var query = LevelQuery.all
        func add(_ name: String, _ value: String) { query.parameters.append(.init(name: name, value: value)) }
        let isOutline = one(in: 4)
        if isOutline || one(in: 40) {
            if one(in: 2) { query = query.setting("depth", to: pick(["1", "2", "3", "all", "0", "x"])) }
            if one(in: 2) {
                query = query.outlined(
                    expanding: (0..<below(3)).map { _ in ItemPath(pick(paths).keys.drop { _ in one(in: 4) }) })
            }
        }
        if !isOutline {
            if one(in: 3) {
                let keys = (0...below(2)).map { _ in (one(in: 2) ? "-" : "") + pick(Self.names) }
                query = query.setting(
                    "sort", to: one(in: 8) ? pick(["", "Price:desc", "a,,b", "-"]) : keys.joined(separator: ","))
            }
            for _ in 0..<below(3) where one(in: 2) { add("where", condition()) }
            if one(in: 4) { for _ in 0...below(2) { add("any", condition()) } }
            if one(in: 4) { query = query.setting("group", to: pick(Self.names + ["initial", "initial", ""])) }
            if one(in: 4) {
                query = query.setting("q", to: one(in: 8) ? "" : pick(Self.words))
                if one(in: 2) {
                    query = query.setting("in", to: pick(["*", "Title", "Kind,Tags", "Key", "Info.Town", "a,"]))
                }
            }
            if one(in: 60) { query = query.setting("in", to: "*") }
        }
        if one(in: 2) {
            query = query.setting(
                "fields", to: pick(["*", "", "Price", "Title,Kind", "Info.Town,Price", "Key,Nothing"]))
        }
        if one(in: 4) { query = query.setting("limit", to: pick(["1", "2", "3", "5", "1000", "0"])) }
        if one(in: 5) { query = query.setting("start", to: pick(["0", "1", "2", "9", "-1"])) }
        if one(in: 40) { query = query.setting("order", to: "x") }
        return query
    }

    // MARK: Edits

    /// - Parameters:
    ///   - paths: the paths of the items of the document.
    ///   - version: the version that the edit names; nil for none.
    mutating func edit(_ paths: [ItemPath], version: ItemVersion?) -> Edit {
        let path = one(in: 12) ? ["nothing"] : pick(paths)
        let level = one(in: 12) ? ["nothing"] : pick(paths)
        let key = pick(paths).lastKey ?? "x"
        let position: Edit.Position = pick([.first, .last, .index(below(4)), .before(key), .after(key)])
        let section = one(in: 4) ? below(3) : nil
        switch below(6) {
        case 0, 1:
            return .insert(item(depth: 1), into: level, at: position, section: section)
        case 2:
            let target = one(in: 3) ? level / pick(["new", "ä", "other"]) : path
            return .put(["Title": .text(pick(Self.titles)), "Price": value()], at: target, ifMatch: version)
        case 3:
            var changes: Fields = ["Price": one(in: 3) ? .null : value()]
            if one(in: 3) { changes["Title"] = .text(pick(Self.titles)) }
            if one(in: 12) { changes["Children"] = [] }
            return .patch(changes, at: path, ifMatch: version)
        case 4: return .move(path, into: level, at: position, section: section, ifMatch: version)
        default: return .delete(path, ifMatch: version)
        }
    }
}

/// Random numbers that are the same in every run.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 33
    }
}
