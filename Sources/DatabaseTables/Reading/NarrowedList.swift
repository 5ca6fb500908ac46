internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// A list narrowed by the conditions of a query, as far as an index can serve them.
struct NarrowedList {
    private(set) var list: RecordList
    /// The query with the conditions that must still be checked for each record of the list.
    private(set) var rest: RowQuery
    /// The terms that have the same value in all records of the list.
    private(set) var equal: [OrderTerm]
    /// The first term that has a range of values, or several values; nil if all conditions are in `equal` and `rest`.
    private(set) var range: OrderTerm?
    /// The field of the first condition that one index can serve; nil if there is no such condition.
    private(set) var field: RowField?
    /// Whether a condition narrows the list.
    private var isNarrowed = false
    /// Whether no record meets the conditions.
    private(set) var isEmpty = false
    /// Whether a table of texts finds the records of the list, which are its own.
    private var isOfTextIndex = false

    init(_ list: RecordList, by query: RowQuery) {
        (self.list, equal, rest) = (list, list.equal, query)
        rest.conditions = query.conditions.filter { !narrow(byAny: [$0]) }
        if !query.alternatives.isEmpty, narrow(byAny: query.alternatives) { rest.alternatives = [] }
    }

    /// Returns the list narrowed to the records that an index of texts finds for the search of the query, too; nil if no
    /// index finds them. Each record must still be searched.
    func found(by query: RowQuery) -> NarrowedList? {
        guard let text = query.search,
            let condition = list.table.condition(finding: text, in: query.searchedFields ?? .title)
        else { return nil }
        var found = self
        found.list.add(condition)
        (found.list.isNarrowed, found.list.hasAlternatives, found.isNarrowed) = (true, true, true)
        found.isOfTextIndex = list.table.isTextIndex
        return found
    }

    /// Removes records that meet none of some conditions, if a statement can express all these conditions. Returns
    /// whether it can, and whether no such records are left.
    private mutating func narrow(byAny conditions: [RowCondition]) -> Bool {
        var parts: [(column: Int, statement: ConditionStatement)] = []
        for condition in conditions {
            guard let column = list.table.column(of: condition.field),
                let statement = ConditionStatement(condition: condition, column: column, of: list)
            else { return false }
            parts.append((column, statement))
        }
        isNarrowed = true
        isEmpty = isEmpty || parts.allSatisfy(\.statement.isImpossible)
        let (column, first) = parts[0]
        if parts.count > 1 {
            list.add("(\(parts.map(\.statement.condition).joined(by: " OR ")))")
            list.hasAlternatives = true
        } else {
            list.add(first.condition)
        }
        list.isNarrowed = true
        if parts.allSatisfy({ $0.column == column }) {
            let term = list.table.term(column, isDescending: false)
            field = field ?? conditions[0].field
            if parts.count > 1 || !first.isOfOneValue {
                range = range ?? term
            } else if !equal.contains(where: { $0.sql == term.sql }) {
                equal.append(term)
            }
        }
        return parts.allSatisfy(\.statement.isExact)
    }

    /// Returns the terms of an index that finds the records of the list, if possible in the order `sort`.
    func indexTerms(by sort: RowOrder) -> [OrderTerm] {
        let range = self.range.map { [$0] } ?? []
        let rest = list.terms(by: sort, after: equal)
        // The first term of the order may be the range itself, perhaps in descending order.
        if range.isEmpty || rest.first?.column == range[0].column { return equal + rest }
        return equal + range + list.terms(by: .document, after: equal + range)
    }

    /// Returns whether an index finds the records of the list. No index is needed for a list without records.
    func isSought(in database: OpenDatabase) throws(DatabaseError) -> Bool {
        guard isNarrowed, !isEmpty else { return isEmpty }
        guard !isOfTextIndex else { return true }
        return try database.plan(of: "SELECT 1 \(list.records())", combinesIndexes: list.hasAlternatives).isSought
    }
}

/// A condition of a query as part of a statement. An index may serve the condition.
private struct ConditionStatement {
    var condition: SQL = "FALSE"
    /// Whether the part of the statement finds only records that meet the query's condition. If not, the query's
    /// condition is checked for each found record, too.
    var isExact = true

    /// Whether all records that the condition finds have the same value.
    var isOfOneValue = false

    /// Whether no value meets the condition.
    var isImpossible: Bool { condition == "FALSE" }

    /// The result is nil for a relation that no index serves.
    init?(condition: RowCondition, column number: Int, of list: RecordList) {
        let (table, column) = (list.table, list.table.columns[number])
        guard condition.relation != .containing, column.type?.isOrdered != false else { return nil }
        if condition.relation == .present {
            // Every row has a title and a key. The rows that follow the records have no other fields.
            guard case .named = condition.field, !condition.isNegated || list.following.isEmpty else { return nil }
            self.condition =
                condition.isNegated
                ? "c.\(column.quoted) IS NULL" : Self.presence("c.\(column.quoted)", of: column, in: table)
            isOfOneValue = condition.isNegated
            return
        }
        guard !condition.isNegated else { return nil }
        if let type = column.type {
            let isMade = make(condition, column: "c.\(column.quoted)", type: type)
            guard isMade else { return nil }
        } else {
            make(condition, column: "c.\(column.quoted)", of: column, inTable: table.rowID != nil)
        }
        isOfOneValue = condition.relation == .equal && self.condition.values.count == 1
        // A record without a title has its key as the title, and the text of a key differs from the text of its columns.
        guard case .named = condition.field else {
            guard !isImpossible else { return nil }
            isExact = false
            return
        }
    }

    /// Returns the condition that a column is not NULL. SQLite uses an index only for a comparison, here with the lowest
    /// value that is stored in the column.
    private static func presence(_ name: SQL, of column: Column, in table: Table) -> SQL {
        guard table.dialect == .sqlite, table.rowID != nil else { return "\(name) IS NOT NULL" }
        return column.affinity == .text ? "\(name) >= ''" : "\(name) >= -9e999"
    }

    /// The sign of a relation of order.
    ///
    /// - Parameter error: the value in the statement minus the value of the condition, or a number of the same sign. No
    ///   record has a value between these two.
    private static func sign(_ relation: RowCondition.Relation, error: Double = 0) -> SQL {
        switch relation {
        case .less: error < 0 ? "<=" : "<"
        case .atMost: error > 0 ? "<" : "<="
        case .greater: error > 0 ? ">=" : ">"
        default: error < 0 ? ">" : ">="
        }
    }

    // MARK: PostgreSQL

    /// Makes the condition for a column of a type. Returns false for a type that no index serves.
    private mutating func make(_ asked: RowCondition, column: SQL, type: PostgresType) -> Bool {
        let text = Array(asked.value.utf8)
        switch type.kind {
        case .json, .structure: return false
        case .text, .other:
            compare(column, asked, with: Array(Set([text, NormalizationFormC.text(of: text.span)])))
            isExact = asked.relation != .equal
        // No condition can express data.
        case .data: break
        case .boolean:
            let isFlag = asked.value == "true" || asked.value == "false"
            if isFlag, asked.relation == .equal { compare(column, asked, with: [text]) }
        case .date, .timestamp, .zonedTimestamp:
            guard PostgresType.readsAsDate(text) else { break }
            let isZoned = type.kind == .zonedTimestamp
            compare(column, asked, with: [text]) {
                isZoned ? "\($0)::timestamptz" : "(\($0)::timestamptz AT TIME ZONE 'UTC')"
            }
        case .integer, .real, .numeric:
            guard text.span.jsonNumberForm != nil else { break }
            if type.kind == .integer {
                compareInteger(column, asked, type: type)
            } else if type.kind == .numeric {
                compare(column, asked, with: [numeric(asked)])
            } else {
                // A number beyond the type is an infinity.
                let number = type.number == 700 ? "\(Float(asked.value) ?? 0)" : "\(Double(asked.value) ?? 0)"
                let error = (Double(number) ?? 0) - (Double(asked.value) ?? 0)
                compare(column, asked, with: [Array(number.utf8)], error: error)
                isExact = asked.relation != .equal || Double(number) == Double(asked.value)
            }
            // In PostgreSQL, NaN is above all numbers; a condition compares only numbers.
            if type.kind != .integer, asked.relation == .greater || asked.relation == .atLeast {
                condition = "\(condition) AND \(column) < 'NaN'"
            }
        }
        return true
    }

    /// Compares a column with texts; without texts, no value meets the condition.
    ///
    /// - Parameters:
    ///   - error: the number in the text minus the number of the condition.
    ///   - converted: returns the value to compare with, for a text.
    private mutating func compare(
        _ column: SQL, _ asked: RowCondition, with texts: [[UInt8]], error: Double = 0,
        as converted: (SQL) -> SQL = { $0 }
    ) {
        let values = texts.map { converted("\(text: $0)") }
        guard let first = values.first else { return }
        condition =
            asked.relation == .equal
            ? "\(column) IN (\(values.joined(by: ", ")))"
            : "\(column) \(Self.sign(asked.relation, error: error)) \(first)"
    }

    /// Compares a column of integers with a number, which may be a fraction or beyond the integers of the type.
    private mutating func compareInteger(_ column: SQL, _ asked: RowCondition, type: PostgresType) {
        let isWhole = DecimalDigits(Array(asked.value.utf8))?.integer.flatMap { Int64("\($0)") } != nil
        let number = Double(asked.value) ?? 0
        if !isWhole, number.magnitude >= 0x1p63 {
            // The number is below or above all integers.
            let met: [RowCondition.Relation] = number < 0 ? [.greater, .atLeast] : [.less, .atMost]
            if met.contains(asked.relation) { condition = "\(column) IS NOT NULL" }
        } else if isWhole || asked.relation != .equal {
            // Object identifiers are not compared with other integers.
            let isRoundedUp = asked.relation == .less || asked.relation == .atLeast
            compare(column, asked, with: [numeric(asked)]) {
                type.number == 26
                    ? $0 : isRoundedUp ? "ceil(\($0)::numeric)::int8" : "floor(\($0)::numeric)::int8"
            }
        }
    }

    /// The number of a condition as a `numeric`. A number that a `numeric` cannot hold is beyond all numbers, or 0.
    private func numeric(_ asked: RowCondition) -> [UInt8] {
        let text = Array(asked.value.utf8)
        guard DecimalDigits(text)?.isNumeric != true else { return text }
        // PostgreSQL 13 has no infinite `numeric`.
        let number = Double(asked.value) ?? 0
        return Array((number.isFinite ? "\(number)" : number < 0 ? "-9e131071" : "9e131071").utf8)
    }

    // MARK: SQLite

    /// - Parameter isInTable: whether the column is in a table. A table has numbers in place of texts that read as
    ///   numbers; a view may have the texts.
    private mutating func make(
        _ asked: RowCondition, column name: SQL, of column: Column, inTable isInTable: Bool
    ) {
        let text = Array(asked.value.utf8)
        let hasNumbers = isInTable && [.integer, .numeric, .real].contains(column.affinity)
        let number = RecordKey.number(text)
        // An integer beyond 64 bits becomes the nearest real.
        var isRounded = false
        var error: Int128 = 0
        if case .real(let near)? = number, text.span.jsonNumberForm == .integer {
            isRounded = true
            if let exact = Int128(asked.value), let near = Int128(exactly: near) { error = near - exact }
        }
        guard asked.relation == .equal else {
            condition = "\(name) \(Self.sign(asked.relation, error: Double(error))) \(number ?? .text(text))"
            isExact = number == nil || hasNumbers
            let kinds: SQL? = number == nil ? "'text'" : hasNumbers ? "'integer', 'real'" : nil
            if let kinds { condition = "\(condition) AND typeof(\(name)) IN (\(kinds))" }
            return
        }
        let texts = Set([text, NormalizationFormC.text(of: text.span)]).map { DatabaseValue.text($0) }
        // A column has either the number or the text, unless it has no affinity.
        let values = number.map { hasNumbers ? [$0] : column.affinity == .text ? texts : [$0] + texts } ?? texts
        condition = values.count == 1 ? "\(name) = \(values[0])" : name.isOne(of: values)
        // In a column of numbers, SQLite compares a text such as '05' as its number.
        if number == nil, [.integer, .numeric, .real].contains(column.affinity) {
            condition = "\(condition) AND typeof(\(name)) = 'text'"
        }
        isExact = column.collation == "BINARY" && !isRounded
    }
}
