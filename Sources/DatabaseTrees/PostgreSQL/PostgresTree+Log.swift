internal import TreeSources

/// Reads the log, and detects that an older copy has replaced the database.
extension PostgresTree {
    func revisions(after last: TreeHead) throws(DatabaseError) -> [LoggedRevision]? {
        if case .wanted = lock { try takeLock() }
        noteLook()
        var look = try self.look(after: last, on: lock.end == nil ? reader : writer)
        // A standby may still lack the revisions that this server has just written, so the primary server decides.
        if case .forked = look, reader !== writer, lock.end == nil {
            look = try self.look(after: last, on: writer)
        }
        switch look {
        case .revisions(let revisions, let hasMore):
            self.hasMore = hasMore
            if lock.end == nil { trim() }
            return revisions
        case .forked:
            ownEpoch = NewEpoch(old: ownEpoch?.old ?? last.epoch)
            onNotice(.olderCopy(name: name, revision: last.name(of: last.revision)))
        case .incomplete, .otherEpoch: break
        }
        hasMore = false
        releaseLock()
        return nil
    }

    /// Removes the oldest revisions from the log, thousands of revisions at a time. Only the last statement takes the
    /// lock of the tree.
    private func trim() {
        let first = min(latest - keptRevisions + 1, oldest + Self.mostTrimmed)
        guard first - oldest >= Self.leastTrimmed, !hasMore, !leavesLog else { return }
        do throws(DatabaseError) {
            try writing { connection throws(PostgresFailure) in
                let trims = statements.common.trims(to: first)
                try connection.pipeline([PostgresTreeStatements.begin] + trims + [PostgresTreeStatements.commit])
            }
            oldest = first
        } catch {
            // The next look tries again, unless this role lacks the permission.
            leavesLog = error.kind == .readOnly
            if leavesLog { onNotice(.logKept(SourceError(name, reason: error.reason))) }
        }
    }

    /// The fewest and the most revisions that are removed at a time.
    private static let (leastTrimmed, mostTrimmed): (Int64, Int64) = (1_000, 10_000)

    func history(upTo last: TreeHead, limit: Int) throws(DatabaseError) -> [LoggedRevision] {
        try reading { connection throws(PostgresFailure) in
            try connection.query(statements.common.history(upTo: last.revision, limit: limit))
        }.reversed().compactMap { LoggedRevision($0) }
    }

    /// Takes the lock of the tree for the next commit. Gives up if another program holds the lock for two seconds.
    ///
    /// The log is then read under the lock, so no other program can commit between this reading and the next commit.
    private func takeLock() throws(DatabaseError) {
        try writing { connection throws(PostgresFailure) in
            try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '2s'")
            do throws(PostgresFailure) {
                try connection.query(statements.lock)
                try connection.run("SET LOCAL lock_timeout = '5s'")
                lock = .held(until: .now + Self.longestLock)
            } catch {
                guard !error.isLost else { throw error }
                try connection.run("ROLLBACK")
            }
        }
    }

    func confirm(_ last: TreeHead) throws(CommitError) {
        let look: LogLook
        do throws(DatabaseError) {
            look = try self.look(after: last, on: writer)
            if lock.end != nil {
                lock.lose()
                _ = try writing { connection throws(PostgresFailure) in try connection.run("ROLLBACK") }
            }
        } catch {
            throw .failed(error)
        }
        if case .revisions(let newer, _) = look, newer.isEmpty {
            lock = .unwanted
            return
        }
        // With the lock, the log is next read where edits are written, and before others can write.
        lock = .wanted
        throw .changedMeanwhile
    }

    private func look(after last: TreeHead, on link: PostgresLink) throws(DatabaseError) -> LogLook {
        var steps = [
            statements.common.head(markOf: last.revision), statements.common.log(after: last.revision),
        ]
        // To see the same state, both statements need the lock, or a transaction of their own.
        let isAlone = lock.end == nil
        if isAlone {
            steps = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"] + steps + [PostgresTreeStatements.commit]
        }
        let results = try using(link) { connection throws(PostgresFailure) in try connection.pipeline(steps) }
        let (row, rows) = isAlone ? (results[1].first, results[2]) : (results[0].first, results[1])
        return LogLook(after: last, newest: try head(row), mark: row?[7].string, rows: rows)
    }
}
