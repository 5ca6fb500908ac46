import Foundation
import Locking
import TestSources
import Testing

@testable import DatabaseTrees

/// Servers and other programs that write at once, and a server that only follows.
@Suite struct PostgresHistoryTests {
    let server: PostgresServer

    init() throws { server = try PostgresServer.shared.get() }

    @Test func theLogGivesEachStateOfTheTable() throws {
        let reader = try server.makeTree("history", ["a", "b", "c"])
        var last = try reader.head()
        var rows = try reader.rows()
        let (committed, late) = (Guarded(0), Guarded(0))
        let failures = Guarded<[String]>([])
        let writers =
            try (0..<2).map { number in try serve(number, committed, late, failures) }
            + (0..<2).map { number in try writeForeign(number, failures) }
        var isOver = false
        var checks = 0
        repeat {
            isOver = writers.allSatisfy { $0.wait(timeout: .now()) == .success && $0.signal() == 0 }
            let log = try #require(try reader.revisions(after: last))
            for revision in log {
                #expect(revision.number == last.revision + 1)
                for change in revision.changes { apply(change, to: &rows) }
                (last.revision, last.mark) = (revision.number, revision.mark)
            }
            // The table may already be newer; then there is nothing to compare.
            let before = try reader.head()
            let table = try reader.rows()
            if before.revision == last.revision, try reader.head() == before {
                checks += 1
                #expect(table == rows)
            }
        } while !isOver
        #expect(failures.withLock { $0 } == [])
        #expect(committed.withLock { $0 } == 2 * Self.commits && checks > 0)
        #expect(try reader.head().revision == last.revision)
    }

    /// Each program has the lock of the tree before the rows that it changes, so none of them waits for the other's rows.
    @Test func otherProgramsTakeTheLockBeforeTheirRows() throws {
        try server.makeTree("ordered", ["a", "b"])
        let failures = Guarded<[String]>([])
        let one = try server.connection()
        try one.run("BEGIN; UPDATE ordered.items SET position = 1 WHERE id = 1")
        let server = server
        let other = inThread(failures) {
            try server.connection().run("UPDATE ordered.items SET position = 2 WHERE id = 2")
        }
        let waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ordered.items%'"
        try waitUntil { try server.connection().column(waiting) == ["1"] }
        try one.run("UPDATE ordered.items SET position = 3 WHERE id = 2; COMMIT")
        other.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(try server.tree("ordered").rows()[2]?.place.position == 2)
    }

    private static let commits = 40

    private func apply(_ change: ItemChange, to rows: inout [Int64: ItemRow]) {
        switch change {
        case .row(let row): rows[row.place.id] = row
        case .gone(let id):
            rows[id] = nil
            for below in rows.values where below.place.parent == id { apply(.gone(below.place.id), to: &rows) }
        }
    }

    /// A server that inserts below the root, twice in each group.
    private func serve(
        _ number: Int, _ committed: Guarded<Int>, _ late: Guarded<Int>, _ failures: Guarded<[String]>
    ) throws -> DispatchSemaphore {
        let address = try server.address("history")
        return inThread(failures) {
            let tree = PostgresTree(address: address)
            var last = try tree.head()
            for round in 0..<Self.commits {
                let ids = try tree.reserveIDs(2)
                let requests = ids.map { RevisionWrite(.insert(ItemRow($0, at: $0, "\"server \(number) \(round)\""))) }
                var isWritten = try Self.commit(requests, to: tree, &last)
                if !isWritten { late.withLock { $0 += 1 } }
                // The second attempt holds the lock.
                if !isWritten { isWritten = try Self.commit(requests, to: tree, &last) }
                guard isWritten else { throw PostgresServer.Failure(output: "the second attempt came too late") }
                committed.withLock { $0 += 1 }
            }
        }
    }

    /// Commits, or follows the log if that came too late; returns whether it has committed.
    private static func commit(
        _ requests: [RevisionWrite], to tree: PostgresTree, _ last: inout TreeHead
    ) throws -> Bool {
        do {
            try tree.commit(requests, after: last)
            (last.revision, last.mark) = (last.revision + 2, requests[1].mark)
            return true
        } catch {
            guard error == .changedMeanwhile, let newest = try tree.revisions(after: last)?.last else { throw error }
            (last.revision, last.mark) = (newest.number, newest.mark)
            return false
        }
    }

    /// Another program that inserts, moves and deletes, and undoes some of it.
    private func writeForeign(_ number: Int, _ failures: Guarded<[String]>) throws -> DispatchSemaphore {
        let server = server
        return inThread(failures) {
            let connection = try server.connection()
            for round in 0..<60 {
                try connection.run("BEGIN")
                try connection.run(
                    "INSERT INTO history.items (parent, position, fields) SELECT id, \(round), '\"sql \(number)\"' FROM history.items ORDER BY id DESC OFFSET 3 LIMIT 2"
                )
                try connection.run(
                    "SAVEPOINT s; UPDATE history.items SET position = position + 1 WHERE id % 7 = \(round % 7)")
                if round % 3 == 0 { try connection.run("ROLLBACK TO s") }
                try connection.run(
                    "DELETE FROM history.items WHERE id = (SELECT max(id) FROM history.items WHERE parent > 0)")
                try connection.run(round % 5 == 0 ? "ROLLBACK" : "COMMIT")
            }
        }
    }

    private func inThread(
        _ failures: Guarded<[String]>, _ body: @escaping @Sendable () throws -> Void
    ) -> DispatchSemaphore {
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                try body()
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
            isOver.signal()
        }
        return isOver
    }
}
