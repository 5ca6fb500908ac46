internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// Orders and conditions for large tables. An index must serve each of them.
extension TableReading {
    /// Returns a list in the order `sort`, or in the order of its key if `sort` is nil. An index must give this order.
    ///
    /// - Parameters:
    ///   - parameter: the query option that the refusal names.
    ///   - first: terms that have the same value in all records of the list. The index that the refusal proposes begins
    ///     with these terms.
    /// - Throws: `RowRefusal` with the statement that creates the index, if an index is missing.
    func ordered(
        _ list: RecordList, by sort: RowOrder?, for parameter: String = "sort", after first: [OrderTerm] = []
    ) throws -> RecordList {
        let table = list.table
        var terms: [OrderTerm] = []
        func add(_ term: OrderTerm) {
            if !(first + terms).contains(where: { $0.sql == term.sql }) { terms.append(term) }
        }
        for criterion in sort?.criteria ?? [] {
            let columns: [Int?]
            switch criterion.field {
            case .title: columns = table.titleColumn.map { [$0] } ?? list.keyTerms.map(\.column)
            case .key: columns = list.keyTerms.map(\.column)
            case .named(let name): columns = table.column(named: name).map { [$0] } ?? []
            }
            for column in columns { add(table.term(column, isDescending: criterion.isDescending)) }
        }
        let isTurned = sort?.criteria.last?.isDescending ?? false
        for term in list.keyTerms { add(isTurned ? term.reversed : term) }
        var ordered = list
        ordered.terms = terms
        ordered.isSought = true
        guard try isServed(ordered) else {
            throw needsIndex(
                table, terms: first + terms, parameter: parameter,
                purpose: "gives the order '\(sort.map { "\($0)" } ?? "")'")
        }
        return ordered
    }

    /// Returns the terms that order the records within each section, if the sections are the values of a column.
    ///
    /// The order is `sort`, or the order of the key if `sort` is nil. If no index gives the order of the key, the order
    /// of any index that begins with the column is used.
    ///
    /// - Parameter list: the records of one section.
    /// - Throws: `RowRefusal` if an index is missing.
    func orderWithin(_ list: RecordList, of column: Int, by sort: RowOrder?) throws -> [OrderTerm] {
        let term = list.table.term(column, isDescending: false)
        do {
            return try ordered(list, by: sort, for: "group", after: [term]).terms
        } catch let refusal as RowRefusal {
            guard (sort ?? .document) == .document else { throw refusal }
            for columns in try database.connection.indexes(of: list.table) where columns.first == column {
                var ordered = list
                let terms = columns.dropFirst().map { list.table.term($0, isDescending: false) }
                ordered.terms = terms + list.keyTerms.filter { key in !terms.contains { $0.sql == key.sql } }
                ordered.isSought = true
                if try isServed(ordered) { return ordered.terms }
            }
            throw refusal
        }
    }

    /// Returns the order for the notes of a page: first the query's fields, then the remaining key columns. Includes
    /// the collation of the first field.
    func order(of list: RecordList, query: RowQuery) -> RowPage.IndexOrder {
        let asked = query.order.sort?.criteria ?? []
        let isTurned = asked.last?.isDescending ?? false
        let names = Set(asked.map(\.field.name))
        let keys = list.table.key.map { list.table.columns[$0].name }.filter { !names.contains($0) }
        let collation = asked.first.flatMap { criterion -> String? in
            let column: Int?
            switch criterion.field {
            case .title: column = list.table.titleColumn
            case .key: column = list.table.key.first
            case .named(let name): column = list.table.column(named: name)
            }
            return column.map { list.table.columns[$0].collation }
        }
        return RowPage.IndexOrder(
            fields: asked.map { ($0.isDescending ? "-" : "") + $0.field.name }
                + keys.map { (isTurned ? "-" : "") + $0 },
            collation: collation == "BINARY" ? nil : collation)
    }

    /// Returns whether an index gives the order of a list, so that the database reads a page without sorting.
    private func isServed(_ list: RecordList) throws(DatabaseError) -> Bool {
        let terms = list.terms
        let depth = list.soughtTerms
        // A list in which each record has the same values has no terms.
        for number in terms.indices.prefix(depth + 1) {
            let equal = terms[..<number].map { "\($0.sql) = ?" }
            let isDeepest = number == depth
            let isSplit = terms[number].isSplit
            let order = ListScan.order(
                by: isDeepest ? Array(terms[number...]) : [terms[number]], isReversed: false, settled: isSplit ? 1 : 0)
            let some = isSplit ? ["\(terms[number].sql) IS NOT NULL"] : []
            let conditions = ([list.condition].compactMap(\.self) + equal + some).joined(separator: " AND ")
            let sql =
                "SELECT 1 FROM \(list.source)" + (conditions.isEmpty ? "" : " WHERE \(conditions)")
                + " ORDER BY \(order) LIMIT 1"
            let plan = try database.plan(of: sql)
            // With sorts disabled, PostgreSQL may read the whole table along an index, and pick out the records of the
            // list.
            let mustSeek = number > 0 || list.table.dialect == .postgres && list.condition != nil
            if plan.isSorted || mustSeek && !plan.isSought { return false }
        }
        return true
    }

    /// Returns a refusal with the statement that creates the missing index.
    ///
    /// - Parameters:
    ///   - terms: the terms that the index must contain. If no term is a column, the refusal lacks a statement.
    ///   - parameter: the query option that the refusal names.
    ///   - purpose: the words that follow "no index" in the message, such as `gives the order 'Price'`.
    func needsIndex(_ table: Table, terms: [OrderTerm], parameter: String, purpose: String) -> RowRefusal {
        let columns = terms.compactMap { term in
            term.column.map {
                "\(Identifier.quoted(table.columns[$0].name))\(term.collation.map { " COLLATE \(Identifier.quoted($0))" } ?? "")\(term.isDescending && terms.contains { !$0.isDescending } ? " DESC" : "")"
            }
        }
        let name = ([table.name] + (terms.first.flatMap(\.column).map { [table.columns[$0].name] } ?? [])).joined(
            separator: "_")
        let create =
            columns.isEmpty
            ? nil
            : "CREATE INDEX \(Identifier.quoted(name)) ON \(Identifier.shown(table.quoted, in: table.dialect)) (\(columns.joined(separator: ", ")))"
        let remedy = create == nil ? "Ask" : "Create one, or ask"
        return RowRefusal(
            kind: .needsIndex(create: create), parameter: parameter,
            sentence:
                "The table '\(quoted: table.name)' has more than \(rows.options.arrangedRows) rows, and no index \(purpose). \(remedy) for fewer rows with a condition that an index serves."
        )
    }

    // MARK: Conditions

    /// Returns the records that meet conditions of equality, and their number, if an index finds exactly these records
    /// in the order of the key. Returns nil if they are too many to be counted.
    func indexed(
        _ list: RecordList, by conditions: [RowCondition]
    ) throws(DatabaseError) -> (list: RecordList, count: RecordCount)? {
        guard !list.table.isPositional, conditions.allSatisfy({ $0.relation == .equal }),
            let narrowed = try narrowed(list, by: conditions), narrowed.rest.isEmpty
        else { return nil }
        var found = narrowed.list
        let condition = found.condition.map { "WHERE \($0)" } ?? ""
        let order = ListScan.order(by: found.terms, isReversed: false)
        let plan = try database.plan(of: "SELECT 1 FROM \(found.source) \(condition) ORDER BY \(order) LIMIT 1")
        guard plan.isSought, !plan.isSorted else { return nil }
        // The rows that follow the records have no fields, so they do not meet the conditions.
        found.following = []
        let count = try database.count(found, upTo: rows.options.arrangedRows)
        return count.isEstimate ? nil : (found, count)
    }

    /// Returns a list narrowed by conditions, and the conditions that must still be checked for each record of this
    /// list. Returns nil if no index finds the records of the narrowed list.
    func narrowed(
        _ list: RecordList, by conditions: [RowCondition]
    ) throws(DatabaseError) -> (list: RecordList, rest: [RowCondition])? {
        var narrowed = list
        var rest: [RowCondition] = []
        for condition in conditions {
            guard let column = list.table.column(of: condition.field),
                let part = ConditionStatement(condition: condition, column: column, of: list.table)
            else {
                rest.append(condition)
                continue
            }
            narrowed.add(part.condition, values: part.values)
            if !part.isExact { rest.append(condition) }
        }
        guard let condition = narrowed.condition, narrowed.condition != list.condition else { return nil }
        let plan = try database.plan(of: "SELECT 1 FROM \(list.source) WHERE \(condition)")
        return plan.isSought ? (narrowed, rest) : nil
    }
}

/// A condition of a query as part of a statement. An index may serve the condition.
private struct ConditionStatement {
    let condition: String
    let values: [DatabaseValue]
    /// Whether the part of the statement finds exactly the records that meet the query's condition. If not, the query's
    /// condition is checked for each found record, too.
    let isExact: Bool

    /// The result is nil for a relation that no index serves.
    init?(condition: RowCondition, column number: Int, of table: Table) {
        let column = table.columns[number]
        if let type = column.type {
            self.init(condition: condition, column: "c.\(column.quoted)", type: type)
        } else {
            // A table has numbers in place of texts that read as numbers; a view may have the texts.
            let hasNumbers = table.rowID != nil && [.integer, .numeric].contains(column.affinity)
            self.init(condition: condition, column: "c.\(column.quoted)", hasNumbers: hasNumbers)
        }
    }

    /// In PostgreSQL, the value must be of the column's type; the result is nil for any other value.
    private init?(condition: RowCondition, column: String, type: PostgresType) {
        let text = Array(condition.value.utf8)
        var texts = [text]
        switch type.kind {
        case .text: break
        case .integer, .numeric, .real:
            guard let digits = DecimalDigits(text), type.kind != .integer || digits.integer != nil else { return nil }
            if let integer = digits.integer { texts = [Array("\(integer)".utf8)] }
        default: return nil
        }
        switch condition.relation {
        case .equal:
            if type.kind == .text { texts = Array(Set([text, NormalizationFormC.text(of: text.span)])) }
            self.condition = "\(column) IN (\(texts.map { _ in "?" }.joined(separator: ", ")))"
        case .less, .greater: self.condition = "\(column) \(condition.relation == .less ? "<" : ">") ?"
        case .different, .containing: return nil
        }
        values = texts.map { .text($0) }
        isExact = type.kind == .text && condition.relation != .equal
    }

    /// - Parameter hasNumbers: whether no text in the column reads as a number.
    private init?(condition: RowCondition, column: String, hasNumbers: Bool) {
        let text = condition.value
        let numbers: [DatabaseValue] = RecordKey.number(Array(text.utf8)).map { [$0] } ?? []
        switch condition.relation {
        case .equal:
            if hasNumbers, case .named = condition.field, case .integer? = numbers.first {
                (values, self.condition, isExact) = (numbers, "\(column) = ?", true)
                return
            }
            values =
                numbers + Set([Array(text.utf8), NormalizationFormC.text(of: text.utf8Span.span)]).map { .text($0) }
            self.condition = "\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))"
            isExact = false
        case .less, .greater:
            let sign = condition.relation == .less ? "<" : ">"
            if let number = numbers.first {
                values = [number]
                self.condition = "\(column) \(sign) ?"
                isExact = false
            } else {
                values = [.text(Array(text.utf8))]
                self.condition = "\(column) \(sign) ? AND typeof(\(column)) = 'text'"
                isExact = true
            }
        case .different, .containing: return nil
        }
    }
}
