import TestSources
import Testing

@testable import DatabaseTrees

/// What other programs and servers write.
extension PostgresTreeTests {
    @Test func wakesForWhatOthersWriteToThisTree() throws {
        let tree = try server.makeTree("woken", ["a"])
        try server.makeTree("woken 2".replacing(" ", with: "%20"), ["a"])
        let last = try tree.head()
        #expect(!tree.isWoken(at: .now))
        try tree.commit([RevisionWrite(.insert(ItemRow(9, #""own""#)))], after: last)
        let other = try server.connection()
        try other.run("UPDATE \"woken 2\".items SET position = 3 WHERE id = 1")
        #expect(!tree.isWoken(at: .now))
        try other.run(
            "BEGIN; UPDATE woken.items SET position = 3 WHERE id = 1; UPDATE woken.items SET position = 4 WHERE id = 1")
        #expect(!tree.isWoken(at: .now))
        try other.run("COMMIT")
        try waitUntil { tree.isWoken(at: .now) }
        let log = try #require(try tree.revisions(after: last))
        #expect(log.map(\.changes.count) == [1, 2])
        #expect(!tree.isWoken(at: .now))
        #expect(tree.isWoken(at: .now + .seconds(5)))
    }

    @Test func noticesThatAnOlderCopyHasReplacedTheDatabase() throws {
        let tree = try server.makeTree("forked", ["a"])
        let old = try tree.head()
        try tree.commit([RevisionWrite(.insert(ItemRow(9, #""lost""#)))], after: old)
        let lost = try tree.head()
        try server.connection().run(
            """
            DELETE FROM forked.changes; DELETE FROM forked.revisions WHERE revision = 2; UPDATE forked.head SET revision = 1;
            SET drilldown.writer = 'server'; DELETE FROM forked.items WHERE id = 9
            """)
        #expect(try tree.revisions(after: lost) == nil)
        let head = try tree.readItems { _, _ in }
        #expect(head.revision == 1 && head.epoch != old.epoch)
        #expect(try tree.revisions(after: head)?.isEmpty == true)
        #expect(try server.tree("forked").head().epoch == old.epoch)
        try tree.commit([RevisionWrite(.insert(ItemRow(9, #""after""#)))], after: head)
        #expect(try tree.head().epoch == head.epoch)
        // Another server of the tree loads it, and gives it no further epoch.
        let other = try server.tree("forked")
        #expect(try other.revisions(after: old) == nil)
        #expect(try other.head().epoch == head.epoch)
    }

    @Test func noticesAnotherRevisionOfTheSameNumber() throws {
        let tree = try server.makeTree("marked", ["a"])
        let last = try tree.head()
        try server.connection().run("UPDATE marked.revisions SET mark = gen_random_uuid()")
        #expect(throws: CommitError.changedMeanwhile) { try tree.commit([RevisionWrite(.delete(1))], after: last) }
        #expect(try tree.revisions(after: last) == nil)
        let head = try tree.readItems { _, _ in }
        #expect(head.revision == last.revision && head.epoch != last.epoch)
        try tree.commit([RevisionWrite(.delete(1))], after: head)
    }

    @Test func loadsAgainIfTheLogDoesNotContinue() throws {
        let tree = try server.makeTree("trimmed", ["a"])
        let first = try tree.head()
        let other = try server.connection()
        for position in 1...3 { try other.run("UPDATE trimmed.items SET position = \(position) WHERE id = 1") }
        #expect(try tree.revisions(after: first)?.map(\.number) == [2, 3, 4])
        try other.run("DELETE FROM trimmed.revisions WHERE revision < 3; UPDATE trimmed.head SET oldest = 3")
        #expect(try tree.revisions(after: first) == nil)
        for count in [10_000, 10_001] {
            try other.run(
                "INSERT INTO trimmed.items (parent, position, fields) SELECT 0, n, to_json('n' || n) FROM generate_series(1, \(count)) n"
            )
        }
        try other.run("UPDATE trimmed.items SET position = 4 WHERE id = 1")
        // The triggers drop the rows of a revision with more than 10,000 changes, whatever follows it.
        #expect(try tree.revisions(after: 4) == nil)
        #expect(try tree.revisions(after: 6)?.map(\.changes.count) == [1])
        #expect(try tree.head().epoch == first.epoch)
        let counts = "SELECT count(c.*) FROM trimmed.revisions r LEFT JOIN trimmed.changes c USING (revision)"
        let found = try other.column(counts + " WHERE revision > 4 GROUP BY revision ORDER BY revision")
        #expect(found == ["10000", "0", "1"])
    }
}
