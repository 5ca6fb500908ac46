import Foundation
import Locking
import TestSources
import Testing
import TreeSources

@testable import DatabaseTrees

/// Commits whose connection breaks, because the process of the server is killed.
@Suite(.serialized) struct PostgresCrashTests {
    let server: PostgresServer

    init() throws { server = try PostgresServer() }

    /// Commits in a thread of its own, as the store's thread does.
    private func commit(_ request: RevisionWrite, to name: String, patience: Duration = .seconds(30)) throws -> Running
    {
        let running = Running()
        let address = try server.address(name)
        Thread.detachNewThread {
            let tree = PostgresTree(address: address, commitPatience: patience) { notice in
                running.notices.withLock { $0.append(notice) }
            }
            do {
                try tree.commit([request], after: tree.head())
            } catch {
                running.error.withLock { $0 = error }
            }
            running.doubts.withLock { $0 = tree.doubts }
            running.isOver.signal()
        }
        return running
    }

    private final class Running: Sendable {
        let isOver = DispatchSemaphore(value: 0)
        let notices = Guarded<[SourceNotice]>([])
        let error = Guarded<(any Error)?>(nil)
        let doubts = Guarded(DatabaseWork.Doubts())

        /// The error of the commit, when it has ended; nil for a success.
        func outcome() throws -> CommitError? {
            guard isOver.wait(timeout: .now() + .seconds(120)) == .success else {
                throw PostgresServer.Failure(output: "the commit did not end")
            }
            return error.withLock { $0 } as? CommitError
        }
    }

    /// Kills the process that waits for something, as soon as it does.
    private func kill(waitingFor event: String) throws {
        let connection = try server.connection()
        var found: Int32?
        try waitUntil {
            found = try connection.column(
                "SELECT pid FROM pg_stat_activity WHERE wait_event_type || wait_event LIKE '\(event)%'"
            )
            .first.flatMap { Int32($0) }
            return found != nil
        }
        server.killProcess(try #require(found))
    }

    @Test func writesAgainWhatHadNotBeenCommitted() throws {
        try server.makeTree("gone", ["a"])
        let other = try server.connection()
        try other.run("BEGIN; UPDATE gone.items SET position = 1 WHERE id = 1")
        let running = try commit(RevisionWrite(.insert(ItemRow(9, #""b""#))), to: "gone")
        try kill(waitingFor: "Lock")
        #expect(try running.outcome() == nil)
        #expect(running.doubts.withLock(\.written) == 1)
        let name = try server.address("gone").shown
        #expect(
            running.notices.withLock(\.self) == [
                .commitInDoubt(name: name), .commitSettled(name: name, isWritten: true),
            ])
        let tree = try server.tree("gone")
        #expect(try tree.texts().last == #""b""#)
        #expect(try tree.history(upTo: tree.head(), limit: 9).map(\.number) == [1, 2])
    }

    @Test func looksAgainOnAnotherConnectionAfterALookHasFailed() throws {
        try server.makeTree("locked", ["a"])
        let (other, control) = (try server.connection(), try server.connection())
        try other.run("BEGIN; UPDATE locked.items SET position = 1 WHERE id = 1")
        let running = try commit(
            RevisionWrite(.insert(ItemRow(9, #""b""#))), to: "locked", patience: .seconds(120))
        // The process of the commit, of the first look, which does not get the lock in time, and of the second look.
        var processes: [String] = []
        while processes.count < 3 {
            if processes.count == 1 { _ = try control.column("SELECT pg_terminate_backend(\(processes[0]))::text") }
            var found: [String] = []
            try waitUntil {
                found = try control.column("SELECT pid::text FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                    .filter { !processes.contains($0) }
                return !found.isEmpty
            }
            processes += found
        }
        try other.run("ROLLBACK")
        #expect(try running.outcome() == nil)
        #expect(try server.tree("locked").texts().last == #""b""#)
    }

    @Test func findsWhatHadBeenCommitted() throws {
        try server.makeTree("there", ["a"])
        let control = try server.connection()
        // A COMMIT that is on disk but unanswered.
        try control.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try control.run("SELECT pg_reload_conf()")
        try waitUntil { try server.connection().column("SHOW synchronous_standby_names") == ["nobody"] }
        let running = try commit(RevisionWrite(.insert(ItemRow(9, #""b""#))), to: "there")
        try waitUntil { try control.column("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == ["1"] }
        try control.run("ALTER SYSTEM RESET synchronous_standby_names")
        try kill(waitingFor: "IPCSyncRep")
        #expect(try running.outcome() == nil)
        #expect(running.doubts.withLock(\.written) == 1)
        let tree = try server.tree("there")
        #expect(try tree.texts() == [#"{"Title":"Root","Rows":null}"#, #""a""#, #""b""#])
        #expect(try tree.history(upTo: tree.head(), limit: 9).map(\.number) == [1, 2])
    }

    @Test func writesAFenceIfTheRequestIsRefusedAfterwards() throws {
        try server.makeTree("fenced", ["a"])
        let other = try server.connection()
        try other.run("BEGIN; UPDATE fenced.items SET position = 1 WHERE id = 1")
        let running = try commit(RevisionWrite(.insert(ItemRow(1, #""twin""#))), to: "fenced")
        try kill(waitingFor: "Lock")
        guard case .refused(0, _, "items_pkey") = try running.outcome() else {
            Issue.record("the request was not refused")
            return
        }
        #expect(running.doubts.withLock(\.refused) == 1)
        let tree = try server.tree("fenced")
        let log = try #require(try tree.revisions(after: 1))
        #expect(log.map(\.writer) == [.server] && log.map(\.changes) == [[]])
    }

    @Test func saysThatTheOutcomeIsUnknown() throws {
        try server.makeTree("unknown", ["a"])
        let other = try server.connection()
        try other.run("BEGIN; UPDATE unknown.items SET position = 1 WHERE id = 1")
        let running = try commit(RevisionWrite(.delete(1)), to: "unknown", patience: .zero)
        try kill(waitingFor: "Lock")
        guard case .unknown = try running.outcome() else {
            Issue.record("the outcome is known")
            return
        }
        #expect(running.doubts.withLock(\.unknown) == 1)
    }

    @Test func connectsAgainAfterAPause() throws {
        let tree = try server.makeTree("again", ["a"])
        let last = try tree.head()
        #expect(!tree.isWoken(at: .now))
        server.killProcess(
            try #require(try tree.reader.open().column("SELECT pg_backend_pid()").first.flatMap { Int32($0) }))
        try waitUntil { tree.isWoken(at: .now) }
        try waitUntil {
            do throws(DatabaseError) {
                return try tree.revisions(after: last)?.isEmpty == true
            } catch {
                #expect(error.kind == .away)
                return false
            }
        }
        try tree.commit([RevisionWrite(.delete(1))], after: last)
    }
}
