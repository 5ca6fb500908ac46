import Foundation
import Locking
import TestSources
import Testing
import Threads
import TreeSources

@testable import DatabaseTrees

@Suite struct PostgresTreeTests {
    let server: PostgresServer

    init() throws { server = try PostgresServer.shared.get() }

    @Test func importsATreeAndReadsItBack() throws {
        let tree = try server.makeTree("reading", ["a", "b"])
        let head = try tree.head()
        #expect(head.revision == 1 && head.oldest == 2 && head.keys == nil && head.mark != nil)
        #expect(head.epoch.count == 6 && abs(head.date - Date.now.timeIntervalSince1970) < 60)
        #expect(try tree.texts() == [#"{"Title":"Root","Rows":null}"#, #""a""#, #""b""#])
        #expect(try tree.rows()[2]?.place == ItemPlace(id: 2, parent: 0, section: 0, position: 1 << 32))
        #expect(try tree.revisions(after: head)?.isEmpty == true)
        #expect(try tree.history(upTo: head, limit: 10).map(\.writer) == [.importer])
        #expect(try tree.reserveIDs(3) == [3, 4, 5])
        // Another tree does not take ids that a server has reserved.
        #expect(try server.makeTree("reading", ["x"], replaces: true).reserveIDs(1) == [6])
    }

    @Test func keepsOddValuesByteForByte() throws {
        let tree = try server.tree("odd%20%22name%22%20%C3%89")
        let odd = [
            #"{"Title":"tab\t, \\ and \"","b":1.0,"a":{"z":[],"y":-0.0},"n":1e400}"#, #""\\N""#,
            #"{ "Title" : "É 👪 \u0001" , "Children" : null }"#, #"{"Title":"x","Key":"\\."}"#,
        ]
        let writer = try tree.beginImport(keys: nil, replaces: false)
        try writer.add(.root, "[null,null]")
        for (index, fields) in odd.enumerated() {
            try writer.add(
                .init(id: Int64(index) + 7, parent: 0, section: index, position: .min + Int64(index)), fields)
        }
        try writer.finish()
        #expect(try tree.texts() == ["[null,null]"] + odd)
        #expect(try tree.rows()[8]?.place == ItemPlace(id: 8, parent: 0, section: 1, position: .min + 1))
        let last = try tree.head()
        try tree.commit([RevisionWrite(.insert(ItemRow(20, odd[0])))], after: last)
        let change = try #require(try tree.revisions(after: last)?.first?.changes.first)
        #expect(change == .row(ItemRow(20, odd[0])))
        #expect(try server.connection().column("SELECT count(*) FROM \"odd \"\"name\"\" É\".titles") == ["6"])
    }

    // MARK: Commits

    @Test func commitsARevisionForEachRequest() throws {
        let tree = try server.makeTree("commits", ["a", "b", "c"])
        let last = try tree.head()
        let requests = [
            RevisionWrite(
                .insert(ItemRow(10, #"{"Title":"new","Children":null}"#)), .insert(ItemRow(11, below: 10, #""x""#)),
                author: "alice"),
            RevisionWrite(.update(ItemRow(1, below: 10, at: 5, #""a""#))),
            RevisionWrite(.delete(10), .update(ItemRow(2, at: 9, #""B""#)), author: "bob"),
        ]
        try tree.commit(requests, after: last)
        let head = try tree.head()
        #expect(head.revision == last.revision + 3 && head.mark == requests[2].mark && head.epoch == last.epoch)
        let log = try #require(try server.tree("commits").revisions(after: last))
        #expect(log.map(\.number) == [2, 3, 4] && log.map(\.mark) == requests.map(\.mark))
        #expect(log.map(\.author) == ["alice", nil, "bob"] && log.allSatisfy { $0.writer == .server })
        #expect(log[2].changes == [.gone(10), .row(ItemRow(2, at: 9, #""B""#))])
        #expect(log.flatMap(\.changes).count == 5)
        #expect(try tree.texts() == [#"{"Title":"Root","Rows":null}"#, #""B""#, #""c""#])
        #expect(try tree.history(upTo: head, limit: 2).map(\.number) == [3, 4])
    }

    @Test func commitsAtALevelThatSeesOtherCommitsWhateverTheRolesDefault() throws {
        try server.makeTree("levels", ["a"])
        try server.connection().run(
            """
            CREATE ROLE serial SUPERUSER LOGIN; ALTER ROLE serial SET default_transaction_isolation = 'serializable';
            CREATE FUNCTION levels.check() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              IF current_setting('transaction_isolation') <> 'read committed' THEN
                RAISE 'the level is %', current_setting('transaction_isolation');
              END IF;
              RETURN NULL;
            END $$;
            CREATE TRIGGER checked AFTER INSERT ON levels.revisions EXECUTE FUNCTION levels.check()
            """)
        let tree = try server.tree("levels", role: "serial")
        try tree.commit([RevisionWrite(.fields(ItemRow(1, #""A""#)))], after: try tree.head())
        #expect(try tree.texts() == [#"{"Title":"Root","Rows":null}"#, #""A""#])
    }

    @Test func waitsForTheDiskWhateverTheRolesDefault() throws {
        try server.makeTree("synced", ["a"])
        for (setting, used) in [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")] {
            let role = "synced_\(setting)"
            try server.connection().run(
                "CREATE ROLE \(role) SUPERUSER LOGIN; ALTER ROLE \(role) SET synchronous_commit = '\(setting)'")
            let tree = try server.tree("synced", role: role)
            #expect(try tree.writer.open().column("SHOW synchronous_commit") == [used])
        }
    }

    @Test func writesTheFieldsOfSeveralRowsTogether() throws {
        let tree = try server.makeTree("together", ["a", "b", "c"])
        try server.connection().run(
            "ALTER TABLE together.items ADD CONSTRAINT is_short CHECK (length(fields::text) < 40)")
        let last = try tree.head()
        func write(_ id: Int64, _ text: String) -> RevisionWrite { RevisionWrite(.fields(ItemRow(id, "\"\(text)\""))) }
        let requests = [write(1, "A"), write(2, "B"), write(1, "AA"), write(3, "C"), write(2, "BB")]
        try tree.commit(requests, after: last)
        #expect(try tree.texts() == [#"{"Title":"Root","Rows":null}"#, #""AA""#, #""BB""#, #""C""#])
        let log = try #require(try tree.revisions(after: last))
        #expect(log.map(\.number) == [2, 3, 4, 5, 6] && log.map(\.mark) == requests.map(\.mark))
        let second = try #require(try tree.rows()[2])
        #expect(log.map(\.changes).last == [.row(second)] && log.allSatisfy { $0.changes.count == 1 })
        let newest = try tree.head()
        let long = write(2, String(repeating: "long", count: 20))
        #expect(
            throws: CommitError.refused(
                number: 1, message: "new row for relation \"items\" violates check constraint \"is_short\"",
                constraint: "is_short")
        ) { try tree.commit([write(1, "1"), long, write(3, "3")], after: newest) }
        #expect(
            throws: CommitError.refused(
                number: 2,
                message: "a row is not in the table, or a trigger suppresses the edit or changes rows besides",
                constraint: nil)
        ) { try tree.commit([write(1, "1"), write(2, "2"), write(99, "x")], after: newest) }
        #expect(try tree.texts() == [#"{"Title":"Root","Rows":null}"#, #""AA""#, #""BB""#, #""C""#])
    }

    @Test func refusesACommitAfterAnotherProgramHasWritten() throws {
        let tree = try server.makeTree("races", ["a"])
        let last = try tree.head()
        let other = try server.connection()
        try other.run("UPDATE races.items SET position = 7 WHERE id = 1")
        let request = RevisionWrite(.update(ItemRow(1, at: 0, #""mine""#)))
        #expect(throws: CommitError.changedMeanwhile) { try tree.commit([request], after: last) }
        // The log is read under the lock now, so the other program waits and the next commit cannot come too late.
        let log = try #require(try tree.revisions(after: last))
        #expect(log.map(\.author) == ["drilldown"] && log.map(\.writer) == [.other])
        #expect(log.first?.changes == [.row(ItemRow(1, at: 7, #""a""#))])
        try other.run("SET lock_timeout = '10ms'")
        let refused = #expect(throws: PostgresFailure.self) { try other.run("DELETE FROM races.items WHERE id = 1") }
        #expect(refused?.state == "55P03")
        let newest = try tree.head()
        try tree.commit([request], after: newest)
        try other.run("UPDATE races.items SET position = 8 WHERE id = 1")
        #expect(try tree.head().revision == newest.revision + 2)
    }

    @Test func givesUpTheLockIfNoCommitFollows() throws {
        try server.makeTree("unlocked", ["a"])
        let tree = PostgresTree(address: try server.address("unlocked", "&read=standby"))
        let last = try tree.head()
        try server.connection().run("UPDATE unlocked.items SET position = 7 WHERE id = 1")
        #expect(throws: CommitError.changedMeanwhile) { try tree.commit([RevisionWrite(.delete(1))], after: last) }
        // Only the connection that has the lock loses it.
        for link in [tree.writer, tree.reader] {
            #expect(try tree.revisions(after: last)?.count == 1)
            #expect(tree.lock.end != nil)
            let process = try link.open().column("SELECT pg_backend_pid()")[0]
            try server.connection().run("SELECT pg_terminate_backend(\(process), 5000)")
            #expect(throws: DatabaseError.self) {
                if link === tree.writer { _ = try tree.reserveIDs(1) } else { _ = try tree.head() }
            }
            #expect((tree.lock.end == nil) == (link === tree.writer))
        }
        #expect(tree.isWoken(at: .now + PostgresTree.longestLock))
        try server.connection().run("SET lock_timeout = '5s'; UPDATE unlocked.items SET position = 8 WHERE id = 1")
        #expect(try tree.head().revision == 3)
    }

    @Test func refusesAnEditThatATriggerWritesOtherwise() throws {
        let tree = try server.makeTree("stamped", ["a", "b"])
        try server.connection().run(
            """
            CREATE FUNCTION stamped.stamp() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN NEW.fields = '{"Title":"stamped"}'; RETURN NEW; END $$;
            CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON stamped.items FOR EACH ROW EXECUTE FUNCTION stamped.stamp();
            """)
        let last = try tree.head()
        let place = ItemPlace(id: 1, parent: 0, section: 0, position: 7)
        let writes: [ItemWrite] = [
            .insert(ItemRow(10, at: 1, #""new""#)), .update(ItemRow(place: place, fields: Array(#""A""#.utf8))),
            .fields(ItemRow(1, at: 0, #""A""#)), .place(place),
        ]
        for write in writes {
            #expect(throws: CommitError.otherThanPlanned(number: 0)) {
                try tree.commit([RevisionWrite(write)], after: last)
            }
        }
        let both = [
            RevisionWrite(.fields(ItemRow(1, at: 0, #""A""#))), RevisionWrite(.fields(ItemRow(2, at: 0, #""B""#))),
        ]
        #expect(throws: CommitError.otherThanPlanned(number: 0)) { try tree.commit(both, after: last) }
        #expect(try tree.head() == last)
        try tree.commit([RevisionWrite(.delete(1))], after: last)
    }

    @Test func namesTheRequestThatAConstraintRefuses() throws {
        let tree = try server.makeTree("constraints", ["a"])
        try server.connection().run(
            """
            ALTER TABLE constraints.items ADD CONSTRAINT price_is_positive
              CHECK (json_typeof(fields) <> 'object' OR coalesce((fields->>'Price')::numeric, 1) > 0);
            ALTER TABLE constraints.items ADD CONSTRAINT one_place UNIQUE (parent, position) DEFERRABLE INITIALLY DEFERRED;
            """)
        let last = try tree.head()
        let good = RevisionWrite(.insert(ItemRow(10, at: 1, #""b""#)))
        let free = RevisionWrite(.insert(ItemRow(11, at: 2, #"{"Title":"c","Price":-1}"#)))
        #expect(
            throws: CommitError.refused(
                number: 1, message: "new row for relation \"items\" violates check constraint \"price_is_positive\"",
                constraint: "price_is_positive")
        ) { try tree.commit([good, free], after: last) }
        // A deferred constraint is violated only by the COMMIT.
        let same = RevisionWrite(.insert(ItemRow(12, at: 1, #""d""#)))
        #expect(
            throws: CommitError.refused(
                number: 2, message: "duplicate key value violates unique constraint \"one_place\"",
                constraint: "one_place")
        ) { try tree.commit([good, RevisionWrite(.insert(ItemRow(13, at: 5, #""e""#))), same], after: last) }
        #expect(
            throws: CommitError.refused(
                number: 0,
                message: "a row is not in the table, or a trigger suppresses the edit or changes rows besides",
                constraint: nil)
        ) { try tree.commit([RevisionWrite(.delete(99))], after: last) }
        #expect(
            throws: CommitError.refused(
                number: 0,
                message: "the field 'N' of items[14] contains U+0000, which PostgreSQL cannot store; remove it",
                constraint: nil)
        ) {
            try tree.commit([RevisionWrite(.insert(ItemRow(14, #"{"Title":"\\u0000","N":["a\u0000"]}"#)))], after: last)
        }
        #expect(try tree.head() == last)
        try tree.commit([good], after: last)
    }

    @Test func takesACommitThatUndoesItsTransactionForNone() throws {
        let connection = try server.connection()
        try connection.run("BEGIN")
        #expect(throws: PostgresFailure.self) { try connection.run("SELECT 1 / 0") }
        let failure = #expect(throws: PostgresFailure.self) {
            try connection.pipeline([PostgresTreeStatements.commit])
        }
        #expect(failure?.isLost == true && connection.isLost)
    }

    @Test func cancelsAStatementOfWhichNoMoreRowsAreWanted() throws {
        var count = 0
        let connection = try server.connection()
        // The rows before the last are sent at once, because they are large.
        let failure = #expect(throws: PostgresFailure.self) {
            try connection.stream(
                "SELECT repeat('x', 100000), pg_sleep(CASE WHEN n > 2 THEN 60 END) FROM generate_series(1, 3) n"
            ) { _ in
                count += 1
                return false
            }
        }
        #expect(failure?.state == "57014" && count == 1)
    }

    @Test func saysThatAnotherProgramHoldsTheLock() throws {
        let tree = try server.makeTree("locked", ["a"])
        let last = try tree.head()
        let other = try server.connection()
        try other.run("BEGIN; UPDATE locked.items SET position = 1 WHERE id = 1")
        try tree.writer.open().run("SET lock_timeout = '20ms'")
        let process = try other.column("SELECT pg_backend_pid()")[0]
        let reason = "another program holds a lock in the database: process \(process) of the role drilldown"
        for (program, ending) in [("", ""), ("psql", " (psql)")] {
            try other.run("SET application_name = '\(program)'")
            #expect(throws: CommitError.failed(.init(kind: .busy, reason: reason + ending))) {
                try tree.commit([RevisionWrite(.delete(1))], after: last)
            }
        }
        try other.run("ROLLBACK")
        try tree.commit([RevisionWrite(.delete(1))], after: last)
    }

    @Test func aLargeRequestIsAWholeRevision() throws {
        let tree = try server.makeTree("large", [])
        let last = try tree.head()
        let rows = (1...Int64(LoggedRevision.mostChanges) + 1).map { ItemWrite.insert(ItemRow($0, at: $0, #""x""#)) }
        try tree.commit([RevisionWrite(author: nil, mark: RandomNames.mark(), writes: rows)], after: last)
        #expect(try tree.revisions(after: last) == nil)
        #expect(try tree.rows().count == rows.count + 1)
        let head = try tree.head()
        #expect(head.epoch == last.epoch && head.revision == last.revision + 1)
    }

    @Test func keepsTheLatestRevisionsInTheLog() throws {
        try server.makeTree("shortened", ["a"])
        try server.connection().run(
            """
            DO $$ BEGIN FOR n IN 1..1010 LOOP
              PERFORM set_config('drilldown.revision_of_shortened', '', true);
              UPDATE shortened.items SET position = n WHERE id = 1;
            END LOOP; END $$
            """)
        let whole = try server.tree("shortened")
        // More of them than are read at a time.
        for (after, hasMore) in [(1, true), (1_001, false)] as [(Int64, Bool)] {
            #expect(try whole.revisions(after: after)?.last?.number == min(after + 1_000, 1_011))
            #expect(whole.isWoken(at: .now) == hasMore)
            var waits = WaitSet()
            whole.addWaits(to: &waits)
            #expect((try #require(waits.deadline) <= .now) == hasMore)
        }
        // A role that may not shorten the log says so once.
        try server.connection().run(
            "CREATE ROLE keeper LOGIN; GRANT USAGE ON SCHEMA shortened TO keeper; GRANT SELECT ON ALL TABLES IN SCHEMA shortened TO keeper"
        )
        let notices = Guarded<[SourceNotice]>([])
        let address = try PostgresAddress("postgres://keeper@/trees?host=\(server.folder)&tree=shortened")
        let keeper = PostgresTree(address: address, keptRevisions: 10) { notice in
            notices.withLock { $0.append(notice) }
        }
        for _ in 0..<2 { #expect(try keeper.revisions(after: 1_011)?.isEmpty == true) }
        let reason = "permission denied for table changes; grant this role the missing permission"
        #expect(notices.withLock(\.self) == [.logKept(SourceError(address.shown, reason: reason))])
        let tree = PostgresTree(address: try server.address("shortened"), keptRevisions: 10)
        let last = try tree.head()
        #expect(last.revision == 1_011)
        #expect(try tree.revisions(after: last)?.isEmpty == true)
        #expect(try tree.head().oldest == 1_002)
        for table in ["revisions", "changes"] {
            let first = try server.connection().column("SELECT min(revision) FROM shortened.\(table)")
            #expect(first == ["1002"])
        }
        #expect(try tree.revisions(after: 1_001)?.map(\.number) == Array(1_002...1_011))
        #expect(try tree.revisions(after: 1_000) == nil)
    }
}

extension String {
    func replacing(_ one: Character, with other: String) -> String { split(separator: one).joined(separator: other) }
}

/// Waits for something that the server does, for at most two minutes.
func waitUntil(_ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(120)
    while try !condition() {
        guard ContinuousClock.now < end else { throw PostgresServer.Failure(output: "it did not happen") }
        usleep(1_000)
    }
}
