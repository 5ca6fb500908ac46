internal import DatabaseTrees
internal import Levels
internal import Locking
internal import Synchronization

/// The results for one state of a database, kept for all connections that read this state.
final class KnownState: Sendable {
    private struct Findings {
        /// The numbers of records that were counted in whole tables, and in lists with parameters.
        var tableCounts: [ListName: RecordCount] = [:]
        var listCounts: [ListName: RecordCount] = [:]
        /// The runs of sections that were counted.
        var runs: [ListName: [SectionRun]] = [:]
        /// The latest arrangements.
        var arrangements: [(name: ListName, records: ArrangedRecords)] = []
        /// Samples of orders.
        var ranks: [ListName: RankSamples] = [:]
    }

    private let findings = Guarded(Findings())
    /// The number of the state, which no other state has in this process; nil for a state that no other connection
    /// knows.
    let number: Int?

    private static let count = Atomic(0)

    init(isShared: Bool = false) { number = isShared ? Self.count.add(1, ordering: .relaxed).newValue : nil }

    private static let mostArrangements = 4
    /// The memory for kept arrangements, in bytes.
    private static let arrangementBytes = 32 << 20
    /// The maximum number of orders whose samples are kept. The samples of 10 million records take about 4 MB.
    private static let mostRanks = 8
    /// The maximum number of kept counts of lists with parameters. Without a limit, these could fill the memory, because
    /// each row of a tree has a list of its own.
    private static let mostListCounts = 1_024
    /// The maximum number of groupings whose runs are kept, because a client can group the list below any record.
    private static let mostRuns = 64

    /// Returns the kept arrangement with a name. If the arrangement is missing, makes it and keeps it.
    func arrangement(
        _ name: ListName, _ make: () throws(DatabaseError) -> ArrangedRecords
    ) throws(DatabaseError) -> ArrangedRecords {
        let known = findings.withLock { $0.arrangements.first { $0.name == name } }
        if let known { return known.records }
        let records = try make()
        findings.withLock { findings in
            guard !findings.arrangements.contains(where: { $0.name == name }) else { return }
            findings.arrangements.append((name, records))
            while findings.arrangements.count > Self.mostArrangements
                || findings.arrangements.reduce(0, { $0 + $1.records.level.residentBytes }) > Self.arrangementBytes
            {
                findings.arrangements.removeFirst()
            }
        }
        return records
    }

    /// Samples of orders.
    var ranks: [ListName: RankSamples] { findings.withLock(\.ranks) }

    /// Keeps the samples of an order, unless at least as many are already kept. Always keeps complete samples.
    func keep(_ samples: RankSamples, as name: ListName) {
        findings.withLock { findings in
            if let known = findings.ranks[name] {
                guard known.values.count < samples.values.count || samples.isComplete else { return }
            } else if findings.ranks.count >= Self.mostRanks {
                findings.ranks = [:]
            }
            findings.ranks[name] = samples
        }
    }

    /// Returns the kept runs with a name. If the runs are missing, counts them and keeps them.
    func runs(_ name: ListName, _ count: () throws -> [SectionRun]) throws -> [SectionRun] {
        if let known = findings.withLock({ $0.runs[name] }) { return known }
        let counted = try count()
        findings.withLock { findings in
            if findings.runs.count >= Self.mostRuns { findings.runs = [:] }
            findings.runs[name] = counted
        }
        return counted
    }

    /// Returns the kept number of records of a named list.
    func count(_ name: ListName) -> RecordCount? {
        findings.withLock { name.isOfTable ? $0.tableCounts[name] : $0.listCounts[name] }
    }

    func keep(_ count: RecordCount, as name: ListName) {
        findings.withLock { findings in
            if name.isOfTable {
                findings.tableCounts[name] = count
            } else {
                if findings.listCounts.count >= Self.mostListCounts { findings.listCounts = [:] }
                findings.listCounts[name] = count
            }
        }
    }
}

/// The latest state of a database, for all connections.
final class KnownStates: Sendable {
    private let latest = Guarded<(version: DatabaseValue, known: KnownState)?>(nil)

    /// Returns the results that are kept for the state with a version. Only the latest state is remembered: if another
    /// state came meanwhile, the results are empty.
    ///
    /// - Parameter version: the version of the state; NULL for a state that no other connection knows.
    func state(_ version: DatabaseValue) -> KnownState {
        guard version != .null else { return KnownState() }
        return latest.withLock { latest in
            if let latest, latest.version == version { return latest.known }
            let known = KnownState(isShared: true)
            latest = (version, known)
            return known
        }
    }
}
