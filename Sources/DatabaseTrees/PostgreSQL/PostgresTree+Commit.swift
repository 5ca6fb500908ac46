internal import Glibc
internal import TreeSources

/// Commits requests, and finds out the outcome of a commit during which the connection broke.
extension PostgresTree {
    func commit(_ requests: [RevisionWrite], after last: TreeHead) throws(CommitError) {
        guard !requests.isEmpty else { return }
        let group = PostgresGroup(requests: requests, last: last, epoch: ownEpoch?.old ?? last.epoch)
        if let (number, reason) = group.unstorable {
            releaseLock()
            throw .refused(number: number, message: reason, constraint: nil)
        }
        let connection = try connectionForWriting()
        switch attempt(group, on: connection) {
        case .committed: return
        case .failed(let error): throw error
        case .inDoubt: try findOut(group)
        }
    }

    /// - Throws: `CommitError.failed`. No statement of the commit was sent.
    private func connectionForWriting() throws(CommitError) -> PostgresConnection {
        do throws(PostgresFailure) {
            return try writer.open()
        } catch {
            lock.lose()
            throw .failed(failed(error))
        }
    }

    // MARK: One attempt

    private enum Outcome {
        case committed
        case failed(CommitError)
        /// The connection broke, so the outcome is unknown.
        case inDoubt
    }

    /// Writes the whole group in one transaction, or nothing.
    private func attempt(
        _ group: PostgresGroup, on connection: PostgresConnection, isOneByOne: Bool = false
    ) -> Outcome {
        let isLocked = connection.isInTransaction
        lock.lose()
        let attempt = group.attempt(statements, isLocked: isLocked, isOneByOne: isOneByOne)
        let steps = attempt.steps.map(\.sql)
        do throws(PostgresFailure) {
            try connection.prepare(steps)
        } catch {
            if writer.current?.isInTransaction == true { writer.close() }
            return .failed(.failed(failed(error)))
        }
        do throws(PostgresFailure) {
            try connection.pipeline(steps)
            noteCommit(of: group)
            return .committed
        } catch {
            guard !error.isLost else { return .inDoubt }
            undo(on: connection)
            guard error.state != Self.lockNotAvailable else {
                return .failed(.failed(DatabaseError(kind: .busy, reason: holder(on: connection))))
            }
            let isOfSeveral = error.statement > attempt.count && attempt.steps[error.statement].request == nil
            if isOfSeveral, error.isRefusal, !isOneByOne {
                return self.attempt(group, on: connection, isOneByOne: true)
            }
            return .failed(commitError(error, in: attempt))
        }
    }

    /// The SQLSTATE of a statement that did not get a lock within `lock_timeout`.
    private static let lockNotAvailable = "55P03"

    /// A sentence about the program that holds a lock of this tree.
    private func holder(on connection: PostgresConnection) -> String {
        let sentence = "another program holds a lock in the database"
        do throws(PostgresFailure) {
            let row = try connection.query(statements.holder).first
            guard let row, let process = row[0].string, let role = row[1].string else { return sentence }
            let program = row[2].string.map { $0.isEmpty ? "" : " (\($0))" } ?? ""
            return "\(sentence): process \(process) of the role \(role)\(program)"
        } catch {
            return sentence
        }
    }

    private func noteCommit(of group: PostgresGroup) {
        latest = max(latest, group.last.revision + Int64(group.requests.count))
        lock = .unwanted
        if ownEpoch?.new == group.last.epoch { ownEpoch = nil }
    }

    /// Ends a transaction in which a statement failed.
    private func undo(on connection: PostgresConnection) {
        do throws(PostgresFailure) {
            if connection.isInTransaction { try connection.run("ROLLBACK") }
        } catch {
            // The server also undoes the transaction when the connection is closed.
            writer.close()
        }
    }

    private func commitError(_ failure: PostgresFailure, in attempt: PostgresGroup.Attempt) -> CommitError {
        if failure.state == PostgresTreeStatements.nothingWritten, failure.statement == attempt.count {
            lock = .wanted
            return .changedMeanwhile
        }
        if ["40001", "40P01"].contains(failure.state) { return .changedMeanwhile }
        if failure.isRefusal, let number = attempt.steps[failure.statement].request {
            guard failure.state != PostgresTreeStatements.nothingWritten else {
                return .otherThanPlanned(number: number)
            }
            return .refused(number: number, message: failure.message, constraint: failure.constraint)
        }
        return .failed(failed(failure))
    }

    // MARK: In doubt

    /// Connects again and looks for the group in the log, until the outcome is known or `commitPatience` is over.
    private func findOut(_ group: PostgresGroup) throws(CommitError) {
        let end = ContinuousClock.Instant.now + commitPatience
        reportDoubt(DatabaseError(kind: .away, reason: PostgresFailure.lost.message))
        onNotice(.commitInDoubt(name: name))
        var failure: CommitError?
        repeat {
            pause(until: min(end, max(.now + PostgresLink.shortestPause, writer.nextAttempt ?? .now)))
            switch lookUp(group, failure: &failure) {
            case .committed:
                doubts.written += 1
                return onNotice(.commitSettled(name: name, isWritten: true))
            case .failed(let error):
                doubts.refused += 1
                onNotice(.commitSettled(name: name, isWritten: false))
                throw error
            case .inDoubt: continue
            }
        } while ContinuousClock.Instant.now < end
        doubts.unknown += 1
        throw .unknown(
            "the connection to the database broke during a commit, and it could not be determined within \(commitPatience.components.seconds) seconds whether the edits were written"
        )
    }

    /// Takes the lock of the tree, which waits for the end of the broken transaction, and looks for the marks of a
    /// group. If the marks are missing, writes the group again.
    ///
    /// Even if the marks are missing, the server process of the broken connection may still have the first statements
    /// in its buffer. These statements expect the old revision. They fail once another revision follows the old
    /// revision: the revision of the group, or a fence, which is a revision without changes.
    ///
    /// - Parameter failure: the reason why the group could not be written again; nil at first. Once `failure` is set, a
    ///   call writes a fence.
    private func lookUp(_ group: PostgresGroup, failure: inout CommitError?) -> Outcome {
        do throws(PostgresFailure) {
            let connection = try writer.open()
            try connection.query(PostgresTreeStatements.begin)
            let revision = try connection.query(statements.lock).first?[0].integer
            let marks = statements.marks(of: group.requests, after: group.last.revision)
            if try connection.query(marks).first?[0].integer != 0 {
                undo(on: connection)
                noteCommit(of: group)
                return .committed
            }
            guard revision == group.last.revision else {
                undo(on: connection)
                lock = .wanted
                return .failed(failure ?? .changedMeanwhile)
            }
            if let failure {
                try connection.pipeline([
                    statements.fence(after: group.last.revision), statements.notify(group.last.revision + 1),
                    PostgresTreeStatements.commit,
                ])
                return .failed(failure)
            }
            let outcome = attempt(group, on: connection)
            guard case .failed(let error) = outcome else { return outcome }
            if !connection.isLost { failure = error }
            return .inDoubt
        } catch {
            if writer.current?.isInTransaction == true { writer.close() }
            return .inDoubt
        }
    }

    private func pause(until instant: ContinuousClock.Instant) {
        let duration = ContinuousClock.Instant.now.duration(to: instant)
        guard duration > .zero else { return }
        usleep(UInt32(clamping: Int(duration / .microseconds(1))))
    }
}
