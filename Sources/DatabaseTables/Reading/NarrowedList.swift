internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// A list narrowed by the conditions of a query, as far as an index can serve them.
struct NarrowedList {
    private(set) var list: RecordList
    /// The conditions that must still be checked for each record of the list.
    private(set) var rest: [RowCondition] = []
    /// The terms that have the same value in all records of the list.
    private(set) var equal: [OrderTerm]
    /// The first term that has a range of values, or several values; nil if all conditions are in `equal` and `rest`.
    private(set) var range: OrderTerm?
    /// The field of the first condition that narrows the list; nil if no condition does.
    private(set) var field: RowField?
    /// Whether no record meets the conditions.
    private(set) var isEmpty = false

    init(_ list: RecordList, by conditions: [RowCondition]) {
        (self.list, equal) = (list, list.equal)
        for condition in conditions {
            guard let column = list.table.column(of: condition.field),
                let part = ConditionStatement(condition: condition, column: column, of: list.table)
            else {
                rest.append(condition)
                continue
            }
            let term = list.table.term(column, isDescending: false)
            field = field ?? condition.field
            isEmpty = isEmpty || part.isImpossible
            self.list.add(part.condition)
            if !part.isExact { rest.append(condition) }
            if condition.relation == .equal, part.condition.values.count == 1 {
                if !equal.contains(where: { $0.sql == term.sql }) { equal.append(term) }
            } else {
                range = range ?? term
            }
        }
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
        guard field != nil, !isEmpty else { return isEmpty }
        return try database.plan(of: "SELECT 1 \(list.records())").isSought
    }
}

/// A condition of a query as part of a statement. An index may serve the condition.
private struct ConditionStatement {
    var condition: SQL = "FALSE"
    /// Whether the part of the statement finds only records that meet the query's condition. If not, the query's
    /// condition is checked for each found record, too.
    var isExact = true

    /// Whether no value meets the condition.
    var isImpossible: Bool { condition == "FALSE" }

    /// The result is nil for a relation that no index serves.
    init?(condition: RowCondition, column number: Int, of table: Table) {
        guard condition.relation != .different, condition.relation != .containing else { return nil }
        let column = table.columns[number]
        if let type = column.type {
            guard type.isOrdered else { return nil }
            let isMade = make(condition, column: "c.\(column.quoted)", type: type)
            guard isMade else { return nil }
        } else {
            make(condition, column: "c.\(column.quoted)", of: column, inTable: table.rowID != nil)
        }
        // A record without a title has its key as the title, and the text of a key differs from the text of its columns.
        guard case .named = condition.field else {
            guard !isImpossible else { return nil }
            isExact = false
            return
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
                compare(column, asked, with: [Array(number.utf8)])
                isExact = asked.relation != .equal || Double(number) == Double(asked.value)
            }
            // In PostgreSQL, NaN is above all numbers; a condition compares only numbers.
            if asked.relation == .greater, type.kind != .integer { condition = "\(condition) AND \(column) < 'NaN'" }
        }
        return true
    }

    /// Compares a column with texts; without texts, no value meets the condition.
    ///
    /// - Parameter converted: returns the value to compare with, for a text.
    private mutating func compare(
        _ column: SQL, _ asked: RowCondition, with texts: [[UInt8]], as converted: (SQL) -> SQL = { $0 }
    ) {
        let values = texts.map { converted("\(text: $0)") }
        guard let first = values.first else { return }
        let isEqual = asked.relation == .equal
        condition =
            isEqual
            ? "\(column) IN (\(values.joined(by: ", ")))"
            : "\(column) \(asked.relation == .less ? "<" : ">") \(first)"
    }

    /// Compares a column of integers with a number, which may be a fraction or beyond the integers of the type.
    private mutating func compareInteger(_ column: SQL, _ asked: RowCondition, type: PostgresType) {
        let isWhole = DecimalDigits(Array(asked.value.utf8))?.integer.flatMap { Int64("\($0)") } != nil
        let number = Double(asked.value) ?? 0
        if !isWhole, number.magnitude >= 0x1p63 {
            // The number is below or above all integers.
            if asked.relation == (number < 0 ? .greater : .less) { condition = "\(column) IS NOT NULL" }
        } else if isWhole || asked.relation != .equal {
            // Object identifiers are not compared with other integers.
            compare(column, asked, with: [numeric(asked)]) {
                type.number == 26
                    ? $0 : asked.relation == .less ? "ceil(\($0)::numeric)::int8" : "floor(\($0)::numeric)::int8"
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
        if case .real? = number { isRounded = text.span.jsonNumberForm == .integer }
        guard asked.relation == .equal else {
            let sign: SQL = asked.relation == .less ? isRounded ? "<=" : "<" : isRounded ? ">=" : ">"
            condition = "\(name) \(sign) \(number ?? .text(text))"
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
