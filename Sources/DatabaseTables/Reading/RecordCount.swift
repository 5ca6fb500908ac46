internal import DatabaseTrees
internal import Levels

/// A number of records.
struct RecordCount: Sendable, Equatable {
    let number: Int
    /// Whether the number is an estimate, which may be too low or too high.
    let isEstimate: Bool

    static let none = RecordCount(number: 0, isEstimate: false)

    /// - Parameter number: may be anything, because the statistics of a database can be written by anyone.
    init(number: Int, isEstimate: Bool) {
        self.number = RowOffset(clamping: number).number
        self.isEstimate = isEstimate
    }
}

/// Counting. The numbers are kept for the present state.
extension OpenDatabase {
    /// Returns the number of records in a list. A number above the limit is an estimate.
    func count(_ list: RecordList, upTo limit: Int) throws(DatabaseError) -> RecordCount {
        let name = list.name("\(limit)")
        if let counted = known.count(name) { return counted }
        let count = try newCount(list, upTo: limit, isOfTable: name.isOfTable)
        known.keep(count, as: name)
        return count
    }

    private func newCount(_ list: RecordList, upTo limit: Int, isOfTable: Bool) throws(DatabaseError) -> RecordCount {
        if list.table.dialect == .postgres, isOfTable {
            // Every commit on the server makes kept counts obsolete, so large tables are not counted.
            let about = try connection.estimate(list.table)
            guard about <= 2 * limit else { return RecordCount(number: about, isEstimate: true) }
        }
        let found = try number("SELECT count(*) FROM (SELECT 1 \(list.records()) LIMIT \(literal: limit + 1)) AS r")
        let isWhole = found <= limit
        return RecordCount(
            number: isWhole ? found : max(found, list.conditions.isEmpty ? try connection.estimate(list.table) : 0),
            isEstimate: !isWhole)
    }

    /// Returns the number in the first row of a query; 0 without one.
    func number(_ sql: SQL) throws(DatabaseError) -> Int { Int(try connection.first(sql)?[0].integer ?? 0) }

    /// Returns the number of records in parts of a list.
    func count(_ list: RecordList, parts: [ListScan]) throws(DatabaseError) -> Int {
        var count = 0
        for part in parts { count += try number("SELECT count(*) \(list.records(where: part.conditions))") }
        return count
    }

    func count(_ list: RecordList) throws(DatabaseError) -> RecordCount {
        let total = try total(list)
        guard !list.own.conditions.isEmpty else { return total }
        guard let arranged = try ArrangedRecords(own: list, in: self) else {
            return RecordCount(number: total.number, isEstimate: true)
        }
        return RecordCount(number: arranged.rows.count, isEstimate: false)
    }

    /// Returns the number of records, including records that do not meet the list's own conditions.
    func total(_ list: RecordList) throws(DatabaseError) -> RecordCount {
        let found = try count(list, upTo: mostCounted)
        guard list.table.isPositional else { return found }
        return RecordCount(number: min(found.number, RecordList.mostPositions), isEstimate: false)
    }

    private var mostCounted: Int { max(options.arrangedRows, 100_000) }

    /// Returns the number of records in a positional list, if they were counted in the present state.
    func counted(_ list: RecordList) throws(DatabaseError) -> RecordCount? {
        known.count(list.name("\(mostCounted)")) == nil ? nil : try total(list)
    }

    /// Keeps the number of records that were read.
    func keep(count: Int, of list: RecordList) {
        known.keep(RecordCount(number: count, isEstimate: false), as: list.name("\(mostCounted)"))
    }

    /// Returns the number of records of a list without waiting for it: an estimate if the list cannot be counted soon, or
    /// if other lists of the answer have taken the time for that. A view that fails, or a table that is locked, does not
    /// refuse or delay the answer, and counts as not empty.
    func briefCount(_ list: RecordList) throws(DatabaseError) -> RecordCount {
        let count = try briefly(isLimited: list.table.isMade) { () throws(DatabaseError) in try self.count(list) }
        if let count { return count }
        let estimate = try briefly(isLimited: true) { () throws(DatabaseError) in
            try connection.estimate(list.table)
        }
        return RecordCount(number: max(1, estimate ?? 1), isEstimate: true)
    }

    /// Returns the number of records of the requested list, as `briefCount`, but waits for a table.
    func shownCount(_ list: RecordList) throws(DatabaseError) -> RecordCount {
        guard list.table.isMade, list.own.conditions.isEmpty, !list.table.isPositional else { return try count(list) }
        return try briefCount(list)
    }

    /// - Parameter isLimited: whether there is a time limit. Without it, only the wait for a lock is short.
    private func briefly<Result>(
        isLimited: Bool, _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result? {
        guard isLimited else { return try connection.briefly(within: nil, body) }
        guard briefTime > .zero else { return nil }
        let begun = ContinuousClock.now
        defer { briefTime -= ContinuousClock.now - begun }
        return try connection.briefly(within: min(briefTime, Self.longestCount), body)
    }

    /// The time after which the count of one view is an estimate.
    private static let longestCount = Duration.milliseconds(50)
}
