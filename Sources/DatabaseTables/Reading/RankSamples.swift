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

/// An order of a list of which samples are kept.
struct SampledOrder {
    private let list: RecordList
    private let database: OpenDatabase
    /// The name under which the samples are kept.
    private let name: ListName

    /// The result is nil unless an index finds the samples.
    init?(_ list: RecordList, in database: OpenDatabase) throws(DatabaseError) {
        // One comparison of rows, such as `(a, b) > (1, 2)`, must find the records after a sample.
        let terms = list.terms
        guard list.soughtTerms == 0, !terms.isEmpty,
            terms.allSatisfy({ $0.isDescending == terms[0].isDescending && !$0.isNullable })
        else { return nil }
        name = list.name(ListScan.order(by: terms).text)
        (self.list, self.database) = (list, database)
        // Without an index, the database would sort all remaining records for each sample.
        let plan = try database.plan(of: nextSample(after: terms.map { _ in .null }))
        guard plan.isSought, !plan.isSorted else { return nil }
    }

    /// Returns the statement that reads the sample after another one, or the first sample.
    private func nextSample(after sample: [DatabaseValue]?) -> SQL {
        let columns = list.terms.map(\.sql).joined(by: ", ")
        let rest = list.records(where: conditions(after: sample))
        let order = ListScan.order(by: list.terms)
        return "SELECT \(columns) \(rest) ORDER BY \(order) LIMIT 1 OFFSET \(literal: RankSamples.interval - 1)"
    }

    private func conditions(after sample: [DatabaseValue]?) -> [SQL] {
        sample.map { [condition(list.terms[0].isDescending ? "<" : ">", $0)] } ?? []
    }

    private func condition(_ comparison: SQL, _ values: [DatabaseValue]) -> SQL {
        let (terms, values) = (list.terms.map(\.sql).joined(by: ", "), values.map { "\($0)" as SQL }.joined(by: ", "))
        return "(\(terms)) \(comparison) (\(values))"
    }

    /// Returns the values of the last sample before a position, and the number of records between the sample and the
    /// position. Returns nil if no sample is before the position.
    func sample(before position: Int) throws(DatabaseError) -> (values: [DatabaseValue], distance: Int)? {
        let wanted = position / RankSamples.interval
        let samples = try samples(upTo: wanted)
        guard let values = samples.values.prefix(wanted).last else { return nil }
        return (values, position - min(wanted, samples.values.count) * RankSamples.interval)
    }

    /// Returns the number of records up to and including the record with these values. The record itself may have been
    /// deleted. Returns nil if the samples do not help; all records must then be counted.
    ///
    /// - Parameter expected: the approximate result.
    func rank(of values: [DatabaseValue], expected: Int) throws(DatabaseError) -> Int? {
        let upTo = condition(list.terms[0].isDescending ? ">=" : "<=", values)
        var number = expected / RankSamples.interval
        // Records may have been deleted since the cursor was made, so the sample before the record may be some steps
        // away.
        for _ in 0..<Self.mostRankSteps {
            let samples = try samples(upTo: number)
            number = min(number, samples.values.count)
            let last = number == 0 ? nil : samples.values[number - 1]
            let conditions = conditions(after: last) + [upTo]
            let count = try database.number("SELECT count(*) \(list.records(where: conditions))")
            guard count == 0, number > 0 else { return number * RankSamples.interval + count }
            number -= 1
        }
        return nil
    }

    private static var mostRankSteps: Int { 32 }

    /// Returns the samples of an order: at least the wanted number, or all samples if the order has fewer.
    ///
    /// Missing samples are read first. If the time for the answer ends meanwhile, the samples read so far are kept, and
    /// a later request continues from them.
    private func samples(upTo wanted: Int) throws(DatabaseError) -> RankSamples {
        var samples = database.known.ranks[name] ?? RankSamples()
        guard samples.values.count < wanted, !samples.isComplete else { return samples }
        defer { database.known.keep(samples, as: name) }
        while samples.values.count < wanted, !samples.isComplete {
            let found = try database.connection.first(nextSample(after: samples.values.last))
            if let found { samples.values.append(found) } else { samples.isComplete = true }
        }
        return samples
    }
}
