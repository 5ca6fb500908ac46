internal import DatabaseTrees

/// The values of every thousandth record in an order, from its beginning: a late page begins with a seek, and the
/// position of a record is found by counting few.
struct RankSamples {
    /// The records between two samples.
    static let interval = 1_000
    /// A page that begins before this position steps to it.
    static let smallest = 10_000

    /// A sample is the last of its interval.
    var values: [[SQLiteValue]] = []
    /// Whether the order has no further samples.
    var isComplete = false
}

/// The statements of a list whose records can be sampled.
private struct SampledOrder {
    let list: RecordList
    /// Names the samples.
    let name: String
    private let terms, order: String
    private let isDescending: Bool

    /// Nil if the seek cannot compare all terms at once: in several directions, with NULL, or without a term.
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

    /// The next sample, after the values of one, or from the beginning.
    func next(isAfter: Bool) -> String {
        "SELECT \(terms) FROM \(list.source)\(conditions(isAfter: isAfter)) ORDER BY \(order) LIMIT 1 OFFSET \(RankSamples.interval - 1)"
    }

    /// The number of records after a sample, or from the beginning, up to a record, with a limit.
    func count(isAfter: Bool) -> String {
        "SELECT count(*) FROM (SELECT 1 FROM \(list.source)\(conditions(isAfter: isAfter, isUpTo: true)) LIMIT ?)"
    }
}

extension TableReading {
    /// The values of the last sample before a position, and the distance from it to the position; nil without samples, or
    /// near the beginning.
    func sample(
        before position: Int, in list: RecordList
    ) throws(DatabaseError) -> (values: [SQLiteValue], distance: Int)? {
        guard position >= RankSamples.smallest, let order = try sampledOrder(list) else { return nil }
        let wanted = position / RankSamples.interval
        let samples = try samples(of: order, upTo: wanted)
        guard let values = samples.values.prefix(wanted).last else { return nil }
        return (values, position - min(wanted, samples.values.count) * RankSamples.interval)
    }

    /// The number of records up to one with these values, itself included; nil if they must be counted.
    ///
    /// - Parameter expected: about how many there are.
    func rank(of values: [SQLiteValue], in list: RecordList, expected: Int) throws(DatabaseError) -> Int? {
        guard expected >= RankSamples.interval, let order = try sampledOrder(list) else { return nil }
        var number = expected / RankSamples.interval
        let samples = try samples(of: order, upTo: number)
        number = min(number, samples.values.count)
        // Records may have come and gone since: the nearest sample before the record is at most some steps away.
        for _ in 0..<Self.mostRankSteps {
            let last = number == 0 ? nil : samples.values[number - 1]
            let most = 2 * RankSamples.interval
            let found = try database.connection.first(
                order.count(isAfter: last != nil),
                list.values + (last ?? []) + values + [.integer(Int64(most))])
            let count = Int(found?[0].integer ?? 0)
            if count == most {
                guard number < samples.values.count else { return nil }
                number += 1
            } else if count == 0, number > 0 {
                number -= 1
            } else {
                return number * RankSamples.interval + count
            }
        }
        return nil
    }

    private static var mostRankSteps: Int { 8 }

    /// The statements for the samples of a list; nil if it is not sampled.
    private func sampledOrder(_ list: RecordList) throws(DatabaseError) -> SampledOrder? {
        guard let order = SampledOrder(list) else { return nil }
        // A statement that sorts would sort the rest for each sample.
        let plan = try database.plan(of: order.next(isAfter: true))
        let isSeek =
            plan.contains { $0.hasPrefix("SEARCH c") } && !plan.contains { $0.contains("TEMP B-TREE") }
        return isSeek ? order : nil
    }

    /// The samples of an order up to a number.
    ///
    /// Those that are missing are read first; they are kept also if the time for the answer ends meanwhile, so that a
    /// later request goes on from them.
    private func samples(of order: SampledOrder, upTo wanted: Int) throws(DatabaseError) -> RankSamples {
        let database = try database
        var samples = database.ranks[order.name] ?? RankSamples()
        guard samples.values.count < wanted, !samples.isComplete else { return samples }
        defer { database.keep(samples, as: order.name) }
        while samples.values.count < wanted, !samples.isComplete {
            let last = samples.values.last
            let found = try database.connection.first(
                order.next(isAfter: last != nil), order.list.values + (last ?? []))
            if let found { samples.values.append(found) } else { samples.isComplete = true }
        }
        return samples
    }
}
