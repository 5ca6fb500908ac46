internal import DatabaseTrees

/// The values of every 250th record in an order, from its beginning.
///
/// With them, a page at a high position begins with a seek, and only the records after a sample are counted to find the
/// position of a record.
struct RankSamples {
    /// The number of records from one sample to the next.
    static let interval = 250
    /// The lowest position at which a page begins with a seek to a sample; an earlier page begins with an OFFSET.
    static let smallest = 10_000

    /// The values of each sample's terms; a sample is the last record of its interval.
    var values: [[SQLiteValue]] = []
    /// Whether the order has no further samples to read.
    var isComplete = false
}

/// A list whose order can be sampled, with the statements for it.
private struct SampledOrder {
    let list: RecordList
    /// The name of the samples in `OpenDatabase.ranks`.
    let name: String
    private let terms, order: String
    private let isDescending: Bool

    /// The result is nil unless one comparison of rows, such as `(a, b) > (?, ?)`, finds the records after a sample:
    /// all terms have the same direction and are never NULL, and at least one exists.
    init?(_ list: RecordList) {
        isDescending = list.terms.first?.isDescending ?? false
        guard list.soughtTerms == 0, !list.terms.isEmpty,
            list.terms.allSatisfy({ [isDescending] in $0.isDescending == isDescending && !$0.isNullable })
        else { return nil }
        self.list = list
        order = ListScan.order(by: list.terms, isReversed: false)
        terms = list.terms.map(\.sql).joined(separator: ", ")
        name = "\(list.source) \(list.condition ?? "") \(list.values) \(order)"
    }

    private func conditions(isAfter: Bool, isUpTo: Bool = false) -> String {
        let places = list.terms.map { _ in "?" }.joined(separator: ", ")
        let after = isAfter ? "(\(terms)) \(isDescending ? "<" : ">") (\(places))" : nil
        let upTo = isUpTo ? "(\(terms)) \(isDescending ? ">=" : "<=") (\(places))" : nil
        let all = [list.condition, after, upTo].compactMap(\.self).joined(separator: " AND ")
        return all.isEmpty ? "" : " WHERE \(all)"
    }

    /// Returns the statement that reads the sample after another one, whose values are its parameters, or the first.
    func next(isAfter: Bool) -> String {
        "SELECT \(terms) FROM \(list.source)\(conditions(isAfter: isAfter)) ORDER BY \(order) LIMIT 1 OFFSET \(RankSamples.interval - 1)"
    }

    /// Returns the statement that counts the records after a sample, or from the beginning, up to and including a
    /// record. Its last parameter limits the count.
    func count(isAfter: Bool) -> String {
        "SELECT count(*) FROM (SELECT 1 FROM \(list.source)\(conditions(isAfter: isAfter, isUpTo: true)) LIMIT ?) AS r"
    }
}

extension TableReading {
    /// Returns the values of the last sample before a position, and the number of records between the two; nil if the
    /// list is not sampled, or the position is below `RankSamples.smallest`.
    func sample(
        before position: Int, in list: RecordList
    ) throws(DatabaseError) -> (values: [SQLiteValue], distance: Int)? {
        guard position >= RankSamples.smallest, let order = try sampledOrder(list) else { return nil }
        let wanted = position / RankSamples.interval
        let samples = try samples(of: order, upTo: wanted)
        guard let values = samples.values.prefix(wanted).last else { return nil }
        return (values, position - min(wanted, samples.values.count) * RankSamples.interval)
    }

    /// Returns the number of records up to and including the record with these values, even if it was deleted; nil if
    /// samples do not help, so that all records must be counted.
    ///
    /// - Parameter expected: the approximate result.
    func rank(of values: [SQLiteValue], in list: RecordList, expected: Int) throws(DatabaseError) -> Int? {
        guard let order = try sampledOrder(list) else { return nil }
        var number = expected / RankSamples.interval
        // Records may have been added or deleted since the cursor was made, so the sample before the record may be some
        // steps away.
        for _ in 0..<Self.mostRankSteps {
            let samples = try samples(of: order, upTo: number)
            number = min(number, samples.values.count)
            let last = number == 0 ? nil : samples.values[number - 1]
            let most = 2 * RankSamples.interval
            let found = try database.connection.first(
                order.count(isAfter: last != nil),
                list.values + (last ?? []) + values + [.integer(Int64(most))])
            let count = Int(found?[0].integer ?? 0)
            if count == most {
                number += 1
            } else if count == 0, number > 0 {
                number -= 1
            } else {
                return number * RankSamples.interval + count
            }
        }
        return nil
    }

    private static var mostRankSteps: Int { 32 }

    /// Returns the statements for the samples of a list; nil if no index finds its samples.
    private func sampledOrder(_ list: RecordList) throws(DatabaseError) -> SampledOrder? {
        guard let order = SampledOrder(list) else { return nil }
        // Without an index, the database would sort all remaining records for each sample.
        let plan = try database.plan(of: order.next(isAfter: true))
        return plan.isSought && !plan.isSorted ? order : nil
    }

    /// Returns the samples of an order, at least the wanted number if the order has so many.
    ///
    /// Missing samples are read first. If the time for the answer ends meanwhile, the samples read so far are kept, and
    /// a later request continues from them.
    private func samples(of order: SampledOrder, upTo wanted: Int) throws(DatabaseError) -> RankSamples {
        let database = try database
        var samples = database.known.ranks[order.name] ?? RankSamples()
        guard samples.values.count < wanted, !samples.isComplete else { return samples }
        defer { database.known.keep(samples, as: order.name) }
        while samples.values.count < wanted, !samples.isComplete {
            let last = samples.values.last
            let found = try database.connection.first(
                order.next(isAfter: last != nil), order.list.values + (last ?? []))
            if let found { samples.values.append(found) } else { samples.isComplete = true }
        }
        return samples
    }
}
