internal import TreeSources

/// Reads the log, and detects that an older copy has replaced the database.
extension PostgresTree {
    /// The result of reading the log.
    private enum Look {
        /// The next revisions, and whether there are more.
        case revisions([LoggedRevision], hasMore: Bool)
        /// The log lacks some of the next revisions, or it lacks the changes of one of them.
        case incomplete
        /// The known revision is not in the database, or has another mark.
        case forked
        case otherEpoch
    }

    func revisions(after last: TreeHead) throws(DatabaseError) -> [LoggedRevision]? {
        if wantsLock, lockedUntil == nil { try takeLock() }
        var look: Look
        if lockedUntil != nil {
            noteLook()
            look = try writing { connection throws(PostgresFailure) in try self.look(after: last, on: connection) }
        } else {
            look = try reading { connection throws(PostgresFailure) in try self.look(after: last, on: connection) }
        }
        // A standby may still lack the revisions that this server has just written, so the primary server decides.
        if case .forked = look, reader !== writer, lockedUntil == nil {
            look = try writing { connection throws(PostgresFailure) in try self.look(after: last, on: connection) }
        }
        switch look {
        case .revisions(let revisions, let hasMore):
            self.hasMore = hasMore
            if lockedUntil == nil { trim() }
            return revisions
        case .forked:
            let old = ownEpoch?.old ?? last.epoch
            ownEpoch = (old: old, new: RandomNames.epoch())
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
                let trims = statements(for: connection).trims(to: first)
                try connection.pipeline([PostgresTreeStatements.begin] + trims + [PostgresTreeStatements.commit])
                return .success(())
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
            let result = try connection.query(
                statements(for: connection).history.with(last.revision).with(Int64(limit)))
            return .success((0..<result.count).reversed().compactMap { LoggedRevision(result: result, row: $0) })
        }
    }

    /// Takes the lock of the tree for the next commit. Gives up if another program holds the lock for two seconds.
    ///
    /// The log is then read under the lock, so no other program can commit between this reading and the next commit.
    private func takeLock() throws(DatabaseError) {
        try writing { connection throws(PostgresFailure) in
            try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '2s'")
            do throws(PostgresFailure) {
                _ = try connection.query(statements(for: connection).lock)
                try connection.run("SET LOCAL lock_timeout = '5s'")
                lockedUntil = .now + Self.longestLock
            } catch {
                guard !error.isLost else { throw error }
                try connection.run("ROLLBACK")
            }
            return .success(())
        }
    }

    func confirm(_ last: TreeHead) throws(CommitError) {
        let look: Look
        do throws(DatabaseError) {
            look = try writing { connection throws(PostgresFailure) in
                let look = try self.look(after: last, on: connection)
                if lockedUntil.take() != nil { try connection.run("ROLLBACK") }
                return look
            }
        } catch {
            throw .failed(error)
        }
        // With the lock, the log is next read where edits are written, and before others can write.
        if case .revisions(let newer, _) = look { wantsLock = !newer.isEmpty } else { wantsLock = true }
        if wantsLock { throw .changedMeanwhile }
    }

    private func look(
        after last: TreeHead, on connection: PostgresConnection
    ) throws(PostgresFailure) -> Result<Look, DatabaseError> {
        let statements = statements(for: connection)
        var head: Result<TreeHead, DatabaseError> = .failure(TreeHead.missing)
        var knownMark: String?
        var (revisions, rows) = ([LoggedRevision](), 0)
        var isWhole = false
        var steps = [statements.headAndMark.with(last.revision), statements.log.with(last.revision)]
        // To see the same state, both statements need the lock, or a transaction of their own.
        let isAlone = lockedUntil == nil
        if isAlone {
            steps.insert(PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), at: 0)
            steps.append(PostgresTreeStatements.commit)
        }
        try connection.pipeline(steps) { number, result in
            switch isAlone ? number - 1 : number {
            case 0:
                head = self.head(in: result)
                knownMark = result.count == 1 ? result.text(0, column: 7) : nil
            case 1:
                rows = result.count
                (revisions, isWhole) = Self.revisions(in: result)
            default: break
            }
        }
        let newest: TreeHead
        switch head {
        case .success(let found): newest = found
        case .failure(let error): return .failure(error)
        }
        guard newest.epoch == last.epoch else { return .success(.otherEpoch) }
        // If the log no longer has the known revision, the mark of the revision cannot be compared.
        let isTrimmed = knownMark == nil && newest.oldest > last.revision
        guard newest.revision >= last.revision, last.mark == nil || isTrimmed || knownMark == last.mark else {
            return .success(.forked)
        }
        let isCut = rows == PostgresTreeStatements.mostRows
        if isCut { revisions.removeLast() }
        let isGapless = zip(revisions, (last.revision + 1)...).allSatisfy { $0.number == $1 }
        let end = revisions.last?.number ?? last.revision
        let isComplete = end == newest.revision || isCut || revisions.count == PostgresTreeStatements.mostRevisions
        guard newest.oldest <= last.revision + 1, isGapless, isComplete, !isWhole else { return .success(.incomplete) }
        return .success(.revisions(revisions, hasMore: end < newest.revision))
    }

    /// Returns the revisions in a result with their changes, and whether any revision is whole. The log lacks the
    /// changes of a whole revision.
    private static func revisions(in result: borrowing PostgresResult) -> ([LoggedRevision], isWhole: Bool) {
        var revisions: [LoggedRevision] = []
        var isWhole = false
        for row in 0..<result.count {
            if result.number(row, column: 0) != revisions.last?.number {
                guard let revision = LoggedRevision(result: result, row: row) else { continue }
                revisions.append(revision)
                isWhole = isWhole || result.flag(row, column: 5)
            }
            guard let change = ItemChange(result: result, row: row), !revisions.isEmpty else { continue }
            revisions[revisions.count - 1].changes.append(change)
        }
        return (revisions, isWhole)
    }
}

extension LoggedRevision {
    /// Creates a revision from a row of the log, without its changes; nil if the row lacks a number.
    fileprivate init?(result: borrowing PostgresResult, row: Int) {
        guard let number = result.number(row, column: 0) else { return nil }
        let writer = result.text(row, column: 4) ?? ""
        self.init(
            number: number, mark: result.text(row, column: 1),
            date: Self.date(result.text(row, column: 2).flatMap { Double($0) }),
            author: result.text(row, column: 3),
            writer: Writer(writer), changes: [])
    }
}

extension ItemChange {
    /// Creates the change in a row of the log; nil if the row is for a revision without changes.
    fileprivate init?(result: borrowing PostgresResult, row: Int) {
        guard let item = result.number(row, column: 6) else { return nil }
        guard !result.isNull(row, column: 10), let section = result.number(row, column: 8),
            let position = result.number(row, column: 9)
        else {
            self = .gone(item)
            return
        }
        let bytes = result.bytes(row, column: 10)
        let fields = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        let place = ItemPlace(
            id: item, parent: result.number(row, column: 7), section: Int(section), position: position)
        self = .row(ItemRow(place: place, fields: fields))
    }
}
