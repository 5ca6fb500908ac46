import TestSources
import Testing
import Threads

@testable import DatabaseTrees
@testable import TestSupport

/// How commits of other programs are noticed and read.
@Suite("The commits of other programs") struct WaitingChangesTests {
    @Test("are noticed by the writes to a WAL file, though no file comes or goes")
    func writeAheadLog() throws {
        let scratch = try ScratchFolder()
        let path = scratch("T.db")
        let writer = try SQLiteConnection(path: path, for: .create)
        try writer.execute("PRAGMA journal_mode = wal; CREATE TABLE t (a)")
        let events = SQLiteFileEvents(path: path)
        let start = ContinuousClock.now
        // The poll, and whatever the files did before.
        #expect(events.isLookDue(at: start))
        _ = events.isLookDue(at: start + .seconds(1))
        #expect(!events.isLookDue(at: start + .seconds(2)))
        /// The next look, in milliseconds after the start.
        func nextLook() throws -> Double {
            var waits = WaitSet()
            events.addWaits(to: &waits)
            return (try #require(waits.deadline) - start) / .milliseconds(1)
        }
        for time in [2_000, 2_500, 4_990] {
            #expect(try nextLook() == 5_000)
            try writer.execute("INSERT INTO t VALUES (\(time))")
            #expect(!events.isLookDue(at: start + .milliseconds(time)))
            #expect(try nextLook() == Double(time + 1))
            // Long before the next poll.
            let looks = (time..<4_999).filter { events.isLookDue(at: start + .milliseconds($0)) }
            #expect(looks == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48].map { time + $0 }.filter { $0 < 4_999 })
        }
        #expect(try nextLook() == 5_000)
        #expect(events.isLookDue(at: start + .seconds(5)))
        #expect(try nextLook() == 5_002)
    }

    @Test("are read with all changes of each revision, 100,000 changes at a time")
    func manyChanges() throws {
        let server = try PostgresServer.shared.get()
        let tree = try server.makeTree("waiting", ["a"])
        let head = try tree.head()
        let connection = try server.connection()
        // Each revision from 2 to 11 has the most changes that a revision may have.
        try connection.run(
            """
            BEGIN;
            INSERT INTO waiting.revisions (revision, writer) SELECT r, 'other' FROM generate_series(2, 12) r;
            INSERT INTO waiting.changes (revision, item) SELECT r, i FROM generate_series(2, 11) r, generate_series(1, 10000) i
              ORDER BY r, i;
            INSERT INTO waiting.changes (revision, item) SELECT 12, i FROM generate_series(1, 2) i;
            UPDATE waiting.head SET revision = 12;
            COMMIT
            """)
        for (last, newest) in [(10_000, 2), (10_000, 1), (9_999, 1), (9_998, 1), (9_998, 0)] {
            try connection.run(
                """
                DELETE FROM waiting.changes WHERE revision = 11 AND item > \(last) OR revision = 12 AND item > \(newest)
                """)
            var found: [Int64: Int] = [:]
            var after = head.revision
            while let revisions = try tree.revisions(after: after), let end = revisions.last {
                for revision in revisions { found[revision.number, default: 0] += revision.changes.count }
                after = end.number
            }
            var expected = Dictionary(uniqueKeysWithValues: (2...12).map { (Int64($0), 10_000) })
            (expected[11], expected[12]) = (last, newest)
            #expect(found == expected)
        }
    }
}
