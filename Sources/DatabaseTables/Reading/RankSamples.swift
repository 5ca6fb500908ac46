internal import DatabaseTrees

/// The values of every thousandth record in an order, from its beginning, so that a late page begins with a seek.
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

extension TableReading {
    /// The values of a record before a position, and how many records are between them; nil if stepping is as good.
    ///
    /// Samples that are missing are read first; they are kept also if the time for the answer ends meanwhile, so that
    /// a later request goes on from them.
    func sample(
        before position: Int, in list: RecordList
    ) throws(DatabaseError) -> (values: [SQLiteValue], distance: Int)? {
        // The seek compares all terms at once, in one direction and without NULL.
        let isDescending = list.terms.first?.isDescending ?? false
        guard position >= RankSamples.smallest, list.soughtTerms == 0, !list.terms.isEmpty,
            list.terms.allSatisfy({ $0.isDescending == isDescending && !$0.isNullable })
        else { return nil }
        let order = ListScan.order(by: list.terms, isReversed: false)
        let terms = list.terms.map(\.sql).joined(separator: ", ")
        func statement(after values: [SQLiteValue]?) -> String {
            let places = list.terms.map { _ in "?" }.joined(separator: ", ")
            let seek = values.map { _ in "(\(terms)) \(isDescending ? "<" : ">") (\(places))" }
            let conditions = [list.condition, seek].compactMap(\.self).joined(separator: " AND ")
            return "SELECT \(terms) FROM \(list.source)\(conditions.isEmpty ? "" : " WHERE \(conditions)")"
                + " ORDER BY \(order) LIMIT 1 OFFSET \(RankSamples.interval - 1)"
        }
        let database = try database
        // A statement that sorts would sort the rest for each sample.
        let plan = try database.plan(of: statement(after: []))
        guard plan.contains(where: { $0.hasPrefix("SEARCH c") }), !plan.contains(where: { $0.contains("TEMP B-TREE") })
        else { return nil }
        let name = "\(list.source) \(list.condition ?? "") \(list.values) \(order)"
        var samples = database.ranks[name] ?? RankSamples()
        let wanted = position / RankSamples.interval
        defer { database.keep(samples, as: name) }
        while samples.values.count < wanted, !samples.isComplete {
            let last = samples.values.last
            let found = try database.connection.first(statement(after: last), list.values + (last ?? []))
            if let found { samples.values.append(found) } else { samples.isComplete = true }
        }
        guard let values = samples.values.prefix(wanted).last else { return nil }
        return (values, position - min(wanted, samples.values.count) * RankSamples.interval)
    }
}
