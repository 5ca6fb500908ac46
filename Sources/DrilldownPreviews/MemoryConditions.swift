import DrilldownClient

/// A condition of a query: a relation of a field to a value, or the presence of the field.
struct MemoryCondition {
    private let name: String
    private let relation: Relation
    private let isNegated: Bool
    private let value: String

    private enum Relation { case present, equal, less, atMost, greater, atLeast, containing }

    /// The operators. An operator comes before its own beginnings.
    private static let operators: [(text: String, relation: Relation, isNegated: Bool)] = [
        ("==", .equal, false), ("!=", .equal, true), ("!:", .equal, true), ("!~", .containing, true),
        ("<=", .atMost, false), ("<>", .equal, true), (">=", .atLeast, false), (":", .equal, false),
        ("=", .equal, false), ("!", .equal, true), ("<", .less, false), (">", .greater, false),
        ("~", .containing, false),
    ]

    private static let signs = "!:<=>~".unicodeScalars

    /// Reads a condition such as `Price<10`; nil if it lacks a name.
    init?(_ text: String) {
        var rest = text.unicodeScalars[...]
        let isAbsence = rest.first == "!"
        if isAbsence { rest.removeFirst() }
        var name = String.UnicodeScalarView()
        while let next = rest.first, !Self.signs.contains(next) {
            // A sign after a backslash belongs to the name.
            if next == "\\", let sign = rest.dropFirst().first, Self.signs.contains(sign) { rest.removeFirst() }
            name.append(rest.removeFirst())
        }
        guard !name.isEmpty, rest.isEmpty || !isAbsence else { return nil }
        let found = Self.operators.first { rest.starts(with: $0.text.unicodeScalars) }
        self.name = String(name)
        relation = found?.relation ?? .present
        isNegated = found?.isNegated ?? isAbsence
        value = String(Substring(rest.dropFirst(found?.text.unicodeScalars.count ?? 0)))
    }

    func holds(for row: MemoryRow) -> Bool {
        guard let found = row.value(of: name) else { return isNegated }
        guard let elements = found.list else { return matches(found) != isNegated }
        let isOfElements = relation == .equal || relation == .containing
        return (relation == .present || isOfElements && elements.contains { matches($0) }) != isNegated
    }

    /// Whether a value that is not a list is in the relation.
    private func matches(_ found: FieldValue) -> Bool {
        switch relation {
        case .present: return true
        case .containing: return found.text?.folded.containsScalars(of: value.folded) == true
        case .equal:
            if let flag = found.bool { return value == String(flag) }
            if let number = found.number { return ExactNumber(text: value).map { $0 == number } ?? false }
            return found.text == value
        case .less: return order(of: found).map { $0 < 0 } ?? false
        case .atMost: return order(of: found).map { $0 <= 0 } ?? false
        case .greater: return order(of: found).map { $0 > 0 } ?? false
        case .atLeast: return order(of: found).map { $0 >= 0 } ?? false
        }
    }

    /// Returns a negative number if a value is less than the condition's value, 0 if it is equal, and a positive number
    /// if it is greater; nil if the two cannot be compared.
    private func order(of found: FieldValue) -> Int? {
        let wanted = ExactNumber(text: value)
        if let number = found.number {
            guard let wanted, !number.isNaN else { return nil }
            return number == wanted ? 0 : number < wanted ? -1 : 1
        }
        guard let text = found.text, wanted == nil else { return nil }
        let (own, other) = (text.folded.utf8, value.folded.utf8)
        return own.elementsEqual(other) ? 0 : own.lexicographicallyPrecedes(other) ? -1 : 1
    }
}

/// A row of an answer, with its item.
struct MemoryRow {
    var row: Row
    let item: MemoryItem

    /// The value that conditions, orders and searches see; nil if the item lacks the field.
    func value(of name: String) -> FieldValue? {
        switch name {
        case "Title": .text(row.title)
        case "Key": .text(row.key)
        default: item.isText ? .none : item.fields.value(along: name)
        }
    }

    /// The texts in which a search looks.
    ///
    /// - Parameter names: the names of the fields, `*` for the title and all fields; nil for the title.
    func texts(in names: [String]?) -> [String] {
        guard let names else { return [row.title] }
        if names == ["*"] {
            return [row.title] + (item.isText ? [] : item.fields.flatMap { $0.value.searchedTexts })
        }
        return names.flatMap { value(of: $0)?.searchedTexts ?? [] }
    }
}
