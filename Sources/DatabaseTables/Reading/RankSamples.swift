internal import DatabaseTrees

/// The values of every 250th record in an order, from its beginning.
///
/// A page at a high position begins with a seek to a sample. To find the position of a record, only the records after a
/// sample are counted.
struct RankSamples {
    /// The number of records from one sample to the next.
    static let interval = 250
    /// The lowest position at which a page begins with a seek to a sample; an earlier page begins with an OFFSET.
    static let smallest = 10_000

    /// The values of each sample's terms; a sample is the last record of its interval.
    var values: [[DatabaseValue]] = []
    /// Whether all samples of the order have been read.
    var isComplete = false
}

/// A list whose order can be sampled, with the statements for it.
struct SampledOrder {
    /// The name under which the samples are kept.
    let name: ListName
    /// The statements that read the first sample, and the sample after another one, whose values are its parameters.
    let first, next: String
    /// The statements that count the records from the beginning, or after a sample, up to and including a record.
    let countFromStart, countFromSample: String

    /// The result is nil unless one comparison of rows, such as `(a, b) > (?, ?)`, finds the records after a sample:
    /// all terms have the same direction and are never NULL, and at least one exists.
    init?(_ list: RecordList, name: ListName) {
        let isDescending = list.terms.first?.isDescending ?? false
        guard list.soughtTerms == 0, !list.terms.isEmpty,
            list.terms.allSatisfy({ $0.isDescending == isDescending && !$0.isNullable })
        else { return nil }
        self.name = name
        let terms = list.terms.map(\.sql).joined(separator: ", ")
        let places = list.terms.map { _ in "?" }.joined(separator: ", ")
        let after = "(\(terms)) \(isDescending ? "<" : ">") (\(places))"
        let upTo = "(\(terms)) \(isDescending ? ">=" : "<=") (\(places))"
        func records(_ conditions: [String]) -> String {
            let all = [list.condition].compactMap(\.self) + conditions
            return "FROM \(list.source)" + (all.isEmpty ? "" : " WHERE \(all.joined(separator: " AND "))")
        }
        func sample(_ conditions: [String]) -> String {
            "SELECT \(terms) \(records(conditions)) ORDER BY \(name.part) LIMIT 1 OFFSET \(RankSamples.interval - 1)"
        }
        func count(_ conditions: [String]) -> String {
            "SELECT count(*) \(records(conditions))"
        }
        (first, next) = (sample([]), sample([after]))
        (countFromStart, countFromSample) = (count([upTo]), count([after, upTo]))
    }
}

extension TableReading {
    /// Returns the values of the last sample before a position, and the number of records between the sample and the
    /// position. Returns nil if the list is not sampled, or the position is below `RankSamples.smallest`.
    func sample(
        before position: Int, in list: RecordList
    ) throws(DatabaseError) -> (values: [DatabaseValue], distance: Int)? {
        guard position >= RankSamples.smallest, let order = try sampledOrder(list) else { return nil }
        let wanted = position / RankSamples.interval
        let samples = try samples(of: order, in: list, upTo: wanted)
        guard let values = samples.values.prefix(wanted).last else { return nil }
        return (values, position - min(wanted, samples.values.count) * RankSamples.interval)
    }

    /// Returns the number of records up to and including the record with these values. The record itself may have been
    /// deleted. Returns nil if the samples do not help; all records must then be counted.
    ///
    /// - Parameter expected: the approximate result.
    func rank(of values: [DatabaseValue], in list: RecordList, expected: Int) throws(DatabaseError) -> Int? {
        guard let order = try sampledOrder(list) else { return nil }
        var number = expected / RankSamples.interval
        // Records may have been deleted since the cursor was made, so the sample before the record may be some steps
        // away.
        for _ in 0..<Self.mostRankSteps {
            let samples = try samples(of: order, in: list, upTo: number)
            number = min(number, samples.values.count)
            let last = number == 0 ? nil : samples.values[number - 1]
            let found = try database.connection.first(
                last == nil ? order.countFromStart : order.countFromSample, list.values + (last ?? []) + values)
            let count = Int(found?[0].integer ?? 0)
            guard count == 0, number > 0 else { return number * RankSamples.interval + count }
            number -= 1
        }
        return nil
    }

    private static var mostRankSteps: Int { 32 }

    /// Returns the statements for the samples of a list; nil if no index finds the samples.
    private func sampledOrder(_ list: RecordList) throws(DatabaseError) -> SampledOrder? {
        let database = try database
        return try database.sampledOrder(list.name(ListScan.order(by: list.terms, isReversed: false))) {
            (name) throws(DatabaseError) in
            guard let order = SampledOrder(list, name: name) else { return nil }
            // Without an index, the database would sort all remaining records for each sample.
            let plan = try database.plan(of: order.next)
            return plan.isSought && !plan.isSorted ? order : nil
        }
    }

    /// Returns the samples of an order: at least the wanted number, or all samples if the order has fewer.
    ///
    /// Missing samples are read first. If the time for the answer ends meanwhile, the samples read so far are kept, and
    /// a later request continues from them.
    private func samples(
        of order: SampledOrder, in list: RecordList, upTo wanted: Int
    ) throws(DatabaseError) -> RankSamples {
        let database = try database
        var samples = database.known.ranks[order.name] ?? RankSamples()
        guard samples.values.count < wanted, !samples.isComplete else { return samples }
        defer { database.known.keep(samples, as: order.name) }
        while samples.values.count < wanted, !samples.isComplete {
            let last = samples.values.last
            let found = try database.connection.first(
                last == nil ? order.first : order.next, list.values + (last ?? []))
            if let found { samples.values.append(found) } else { samples.isComplete = true }
        }
        return samples
    }
}
