internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// The indexes that serve orders and conditions of a list.
struct ListIndexes {
    let list: RecordList
    let database: OpenDatabase

    // MARK: Orders

    /// Returns a list in the order `sort`, or in the order of its key if `sort` is nil. An index must give this order.
    ///
    /// - Parameters:
    ///   - parameter: the query option that the refusal names.
    ///   - first: terms that have the same value in all records of the list. The index that the refusal proposes begins
    ///     with these terms.
    /// - Throws: `RowRefusal` with the statement that creates the index, if an index is missing.
    func ordered(by sort: RowOrder?, for parameter: String = "sort", after first: [OrderTerm] = []) throws -> RecordList
    {
        var ordered = list
        ordered.terms = list.terms(by: sort, after: first)
        ordered.isSought = true
        let isComposed = sort?.criteria.contains { list.table.isComposed($0.field) } ?? false
        guard !isComposed, try isServed(ordered) else {
            throw try needsIndex(
                terms: isComposed ? [] : list.equal + first + ordered.terms, parameter: parameter,
                purpose: "gives the order '\(sort.map { "\($0)" } ?? "")'")
        }
        return ordered
    }

    /// Returns the records that meet conditions, in the order `sort`.
    ///
    /// Without `sort`, the order is that of the key. If the index that finds a range of values cannot give this order,
    /// the order is that of the index.
    ///
    /// - Parameter parameter: the query option that the refusal names.
    /// - Throws: `RowRefusal` if an index is missing.
    func ordered(_ narrowed: NarrowedList, by sort: RowOrder, for parameter: String) throws -> RecordList {
        let wanted = narrowed.indexTerms(by: sort)
        var orders = [narrowed.list.terms(by: sort, after: narrowed.equal)]
        if sort == .document { orders.append(Array(wanted.dropFirst(narrowed.equal.count))) }
        var ordered = narrowed.list
        ordered.isSought = true
        let isComposed = sort.criteria.contains { list.table.isComposed($0.field) }
        for order in orders where !isComposed {
            ordered.terms = order
            if try isServed(ordered) { return ordered }
        }
        // No index gives a range of values in the order of other columns, or several values in any order.
        let isGiven =
            !isComposed && !narrowed.list.hasAlternatives
            && (narrowed.equal + ordered.terms).map(\.sql) == wanted.map(\.sql)
        throw try needsIndex(
            terms: isGiven ? wanted : [], parameter: parameter,
            purpose: "finds the records that meet the conditions in this order")
    }

    /// Returns the terms that order the records within each section, if the sections are the values of a column.
    ///
    /// The order is `sort`, or the order of the key if `sort` is nil. If no index gives the order of the key, the order
    /// of any index that begins with the column is used.
    ///
    /// - Throws: `RowRefusal` if an index is missing.
    func orderWithin(_ column: Int, by sort: RowOrder?) throws -> [OrderTerm] {
        let term = list.table.term(column, isDescending: false)
        do {
            return try ordered(by: sort, for: "group", after: [term]).terms
        } catch let refusal as RowRefusal {
            guard (sort ?? .document) == .document else { throw refusal }
            for columns in try database.connection.indexes(of: list.table) where columns.first == column {
                var ordered = list
                let terms = columns.dropFirst().map { list.table.term($0, isDescending: false) }
                ordered.terms = terms + list.table.keyTerms.filter { key in !terms.contains { $0.sql == key.sql } }
                ordered.isSought = true
                if try isServed(ordered) { return ordered.terms }
            }
            throw refusal
        }
    }

    /// Returns whether an index gives the order of a list, so that the database reads a page without sorting.
    private func isServed(_ list: RecordList) throws(DatabaseError) -> Bool {
        let terms = list.terms
        let depth = list.soughtTerms
        guard terms.allSatisfy({ $0.column.map { list.table.columns[$0].isOrdered } ?? true }) else { return false }
        // A list in which each record has the same values has no terms.
        for number in terms.indices.prefix(depth + 1) {
            let isSplit = terms[number].isSplit
            let order = ListScan.order(
                by: number == depth ? Array(terms[number...]) : [terms[number]], settled: isSplit ? 1 : 0)
            var conditions = terms[..<number].map { "\($0.sql) = \(DatabaseValue.null)" as SQL }
            if isSplit { conditions.append("\(terms[number].sql) IS NOT NULL") }
            let plan = try database.plan(of: "SELECT 1 \(list.records(where: conditions)) ORDER BY \(order) LIMIT 1")
            // With sorts disabled, PostgreSQL may read the whole table along an index, and pick out the records of the
            // list.
            let mustSeek = number > 0 || list.table.dialect == .postgres && !list.conditions.isEmpty
            if plan.isSorted || mustSeek && !plan.isSought { return false }
        }
        return true
    }

    /// Returns a refusal with the statement that creates the missing index.
    ///
    /// - Parameters:
    ///   - terms: the terms that the index must contain; empty if no index would help.
    ///   - parameter: the query option that the refusal names, if any.
    ///   - purpose: the words that follow "no index" in the message, such as `gives the order 'Price'`.
    func needsIndex(terms: [OrderTerm], parameter: String?, purpose: String) throws(DatabaseError) -> RowRefusal {
        let create = list.isServable ? try database.creatingIndex(on: list.table, by: terms) : nil
        let remedy = create == nil ? "Ask" : "Create one, or ask"
        return RowRefusal(
            kind: .needsIndex(create: create), parameter: parameter,
            sentence:
                "The table '\(quoted: list.table.name)' has more than \(database.options.arrangedRows) rows, and no index \(purpose). \(remedy) for fewer rows with a condition that an index serves."
        )
    }

    // MARK: Conditions

    /// Returns the records that meet conditions of equality, and their number, if an index finds exactly these records
    /// in the order of the key. Returns nil if they are too many to be counted.
    func indexed(by query: RowQuery) throws(DatabaseError) -> (list: RecordList, count: RecordCount)? {
        guard query.alternatives.isEmpty, query.conditions.allSatisfy(list.table.findsAll) else { return nil }
        let narrowed = NarrowedList(list, by: query)
        guard !narrowed.rest.hasConditions, try narrowed.isSought(in: database) else { return nil }
        var found = narrowed.list
        let order = ListScan.order(by: found.terms)
        let plan = try database.plan(of: "SELECT 1 \(found.records()) ORDER BY \(order) LIMIT 1")
        guard plan.isSought, !plan.isSorted else { return nil }
        // The rows that follow the records have no fields, so they do not meet the conditions.
        found.following = []
        let count = try database.count(found, upTo: database.options.arrangedRows)
        return count.isEstimate ? nil : (found, count)
    }

    /// Returns a smaller list that still contains all records that meet the conditions of a query. Returns the whole
    /// list if no index helps.
    func candidates(for query: RowQuery) throws(DatabaseError) -> RecordList {
        var query = query
        query.conditions = query.conditions.filter(list.table.findsAll)
        if !query.alternatives.allSatisfy(list.table.findsAll) { query.alternatives = [] }
        guard query.hasConditions else { return list }
        let narrowed = NarrowedList(list, by: query)
        return try narrowed.isSought(in: database) ? narrowed.list : list
    }
}

extension RecordList {
    /// Returns the terms of an order: the terms of `sort`, then the terms of the key, without those in `first`.
    func terms(by sort: RowOrder?, after first: [OrderTerm]) -> [OrderTerm] {
        var terms: [OrderTerm] = []
        func add(_ term: OrderTerm) {
            if !(equal + first + terms).contains(where: { $0.sql == term.sql }) { terms.append(term) }
        }
        for criterion in sort?.criteria ?? [] {
            let columns: [Int?]
            switch criterion.field {
            case .title: columns = table.titleColumn.map { [$0] } ?? table.keyTerms.map(\.column)
            case .key: columns = table.keyTerms.map(\.column)
            case .named(let name): columns = table.column(named: name).map { [$0] } ?? []
            }
            for column in columns { add(table.term(column, isDescending: criterion.isDescending)) }
        }
        let isTurned = sort?.criteria.last?.isDescending ?? false
        for term in table.keyTerms { add(isTurned ? term.reversed : term) }
        return terms
    }

    /// Returns the order for the notes of a page: first the query's fields, then the remaining key columns. Includes
    /// the collation of the first field.
    func order(for query: RowQuery) -> RowPage.IndexOrder {
        let asked = query.order.sort?.criteria ?? []
        let isTurned = asked.last?.isDescending ?? false
        // Without an asked order, the terms before the key come from the index that finds the records.
        let led = asked.isEmpty ? terms.compactMap(\.column).filter { !table.key.contains($0) } : []
        let names = Set(asked.map(\.field.name))
        let keys = table.key.map { table.columns[$0].name }.filter { !names.contains($0) }
        let collation = asked.first.flatMap { criterion -> String? in
            let column: Int?
            switch criterion.field {
            case .title: column = table.titleColumn
            case .key: column = table.key.first
            case .named(let name): column = table.column(named: name)
            }
            return column.map { table.columns[$0].collation }
        }
        return RowPage.IndexOrder(
            fields: asked.map { ($0.isDescending ? "-" : "") + $0.field.name } + led.map { table.columns[$0].name }
                + keys.map { (isTurned ? "-" : "") + $0 },
            collation: collation == "BINARY" ? nil : collation)
    }
}

extension Table {
    /// Returns whether a condition is one of equality, and an index finds all records that meet it. For `10`, an index
    /// misses the equal text `10.0`; for 'é', it misses the same letter in another normal form.
    fileprivate func findsAll(_ condition: RowCondition) -> Bool {
        guard condition.relation == .equal, !condition.isNegated else { return false }
        // A title may be a key, and the text of a key can differ from the text of its columns.
        guard case .named = condition.field, let number = column(of: condition.field) else { return false }
        let column = columns[number]
        guard RecordKey.number(Array(condition.value.utf8)) != nil else {
            return condition.value.utf8.allSatisfy { $0 < 0x80 } && column.type?.kind ?? .text == .text
        }
        guard let type = column.type else { return [.integer, .real, .numeric].contains(column.affinity) }
        return [.integer, .real, .numeric].contains(type.kind)
    }
}

extension OpenDatabase {
    /// The longest name of an index without its number, in bytes. PostgreSQL cuts names after 63 bytes.
    private static let longestName = 56

    /// Returns a statement that creates an index with a free name. Returns nil if such an index would not help: the
    /// table cannot have indexes, a column's values have no order, or the table has such an index already.
    func creatingIndex(on table: Table, by terms: [OrderTerm]) throws(DatabaseError) -> String? {
        let numbers = terms.compactMap(\.column)
        guard table.isIndexable, !numbers.isEmpty, numbers.allSatisfy({ table.columns[$0].isOrdered }) else {
            return nil
        }
        let isTurned = terms.contains { !$0.isDescending }
        let isPlain = terms.allSatisfy { $0.collation == nil && $0.isDescending != isTurned }
        let indexes = isPlain ? try connection.indexes(of: table) : []
        guard !indexes.contains(where: { $0.starts(with: numbers) }) else { return nil }
        let columns = terms.compactMap { term in
            term.column.map { number -> SQL in
                let collation = term.collation.map { " COLLATE \(identifier: $0)" as SQL } ?? ""
                return "\(table.columns[number].quoted)\(collation)\(term.isDescending && isTurned ? " DESC" : "")"
            }
        }
        // The columns of the key at the end do not distinguish the index from others.
        let named = numbers.prefix(1) + numbers.dropFirst().reversed().drop { table.key.contains($0) }.reversed()
        var name = ([table.name] + named.map { table.columns[$0].name }).joined(separator: "_")
        while name.utf8.count > Self.longestName { name.removeLast() }
        let first = name
        var number = 2
        while try connection.hasRelation(named: name, beside: table) {
            name = "\(first)_\(number)"
            number += 1
        }
        return ("CREATE INDEX \(identifier: name) ON \(table.quoted) (\(columns.joined(by: ", ")))" as SQL).text
    }
}
