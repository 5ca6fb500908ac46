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

extension RecordList {
    /// Whether one comparison of rows, such as `(a, b) > (1, 2)`, finds the records after a sample: all terms have the same
    /// direction and are never NULL, and at least one exists.
    fileprivate var canBeSampled: Bool {
        soughtTerms == 0 && !terms.isEmpty
            && terms.allSatisfy { $0.isDescending == terms[0].isDescending && !$0.isNullable }
    }

    /// Returns the statement that reads the sample after another one, or the first sample.
    fileprivate func nextSample(after sample: [DatabaseValue]?) -> SQL {
        let columns = terms.map(\.sql).joined(by: ", ")
        let rest = records(where: conditions(after: sample))
        let order = ListScan.order(by: terms)
        return "SELECT \(columns) \(rest) ORDER BY \(order) LIMIT 1 OFFSET \(literal: RankSamples.interval - 1)"
    }

    /// Returns the statement that counts the records after a sample, or from the beginning, up to and including a record.
    fileprivate func counting(after sample: [DatabaseValue]?, upTo values: [DatabaseValue]) -> SQL {
        let upTo = condition(terms[0].isDescending ? ">=" : "<=", values)
        return "SELECT count(*) \(records(where: conditions(after: sample) + [upTo]))"
    }

    private func conditions(after sample: [DatabaseValue]?) -> [SQL] {
        sample.map { [condition(terms[0].isDescending ? "<" : ">", $0)] } ?? []
    }

    private func condition(_ comparison: SQL, _ values: [DatabaseValue]) -> SQL {
        let (terms, values) = (terms.map(\.sql).joined(by: ", "), values.map { "\($0)" as SQL }.joined(by: ", "))
        return "(\(terms)) \(comparison) (\(values))"
    }
}

extension TableReading {
    /// Returns the values of the last sample before a position, and the number of records between the sample and the
    /// position. Returns nil if the list is not sampled, or the position is below `RankSamples.smallest`.
    func sample(
        before position: Int, in list: RecordList
    ) throws(DatabaseError) -> (values: [DatabaseValue], distance: Int)? {
        guard position >= RankSamples.smallest, let name = try nameOfSamples(in: list) else { return nil }
        let wanted = position / RankSamples.interval
        let samples = try samples(in: list, named: name, upTo: wanted)
        guard let values = samples.values.prefix(wanted).last else { return nil }
        return (values, position - min(wanted, samples.values.count) * RankSamples.interval)
    }

    /// Returns the number of records up to and including the record with these values. The record itself may have been
    /// deleted. Returns nil if the samples do not help; all records must then be counted.
    ///
    /// - Parameter expected: the approximate result.
    func rank(of values: [DatabaseValue], in list: RecordList, expected: Int) throws(DatabaseError) -> Int? {
        guard let name = try nameOfSamples(in: list) else { return nil }
        var number = expected / RankSamples.interval
        // Records may have been deleted since the cursor was made, so the sample before the record may be some steps
        // away.
        for _ in 0..<Self.mostRankSteps {
            let samples = try samples(in: list, named: name, upTo: number)
            number = min(number, samples.values.count)
            let last = number == 0 ? nil : samples.values[number - 1]
            let count = try database.number(list.counting(after: last, upTo: values))
            guard count == 0, number > 0 else { return number * RankSamples.interval + count }
            number -= 1
        }
        return nil
    }

    private static var mostRankSteps: Int { 32 }

    /// Returns the name under which the samples of a list are kept; nil if no index finds the samples.
    private func nameOfSamples(in list: RecordList) throws(DatabaseError) -> ListName? {
        guard list.canBeSampled else { return nil }
        // Without an index, the database would sort all remaining records for each sample.
        let plan = try database.plan(of: list.nextSample(after: list.terms.map { _ in .null }))
        return plan.isSought && !plan.isSorted ? list.name(ListScan.order(by: list.terms).text) : nil
    }

    /// Returns the samples of an order: at least the wanted number, or all samples if the order has fewer.
    ///
    /// Missing samples are read first. If the time for the answer ends meanwhile, the samples read so far are kept, and
    /// a later request continues from them.
    private func samples(
        in list: RecordList, named name: ListName, upTo wanted: Int
    ) throws(DatabaseError) -> RankSamples {
        let database = try database
        var samples = database.known.ranks[name] ?? RankSamples()
        guard samples.values.count < wanted, !samples.isComplete else { return samples }
        defer { database.known.keep(samples, as: name) }
        while samples.values.count < wanted, !samples.isComplete {
            let found = try database.connection.first(list.nextSample(after: samples.values.last))
            if let found { samples.values.append(found) } else { samples.isComplete = true }
        }
        return samples
    }
}
