import TestSources
import Testing

@testable import DatabaseTrees

/// A server that reads from a standby and writes to the primary server.
@Suite struct PostgresStandbyTests {
    @Test func followsAStandbyAndEditsThePrimaryServer() throws {
        let primary = try PostgresServer()
        let standby = try PostgresServer(standbyOf: primary)
        try primary.makeTree("copied", ["a"])
        let other = try standby.tree("copied")
        try waitUntil {
            do throws(DatabaseError) {
                return try other.readItems { _, _ in }.revision == 1
            } catch {
                return false
            }
        }
        let refusal = DatabaseError(
            kind: .readOnly,
            reason: "the database is a standby or read-only, and takes no edits; name the primary server")
        #expect(throws: CommitError.failed(refusal)) {
            try other.commit([RevisionWrite(.delete(1))], after: try other.head())
        }
        // Notifications do not reach a standby, so it is looked at often.
        #expect(other.reader.mustPoll && other.isWoken(at: .now + PostgresTree.standbyInterval))

        let both = PostgresTree(address: try primary.address("copied", "&read=standby", with: standby))
        var last = try both.head()
        #expect(both.reader !== both.writer && both.reader.mustPoll)
        // What this server has just written may not be on the standby, and yet nothing was lost.
        for number in Int64(10)..<40 {
            let request = RevisionWrite(.insert(ItemRow(number, "\"\(number)\"")))
            try both.commit([request], after: last)
            (last.revision, last.mark) = (last.revision + 1, request.mark)
            #expect(try both.revisions(after: last)?.isEmpty == true)
        }
        // An edit is judged on the primary server, whether or not the standby has its state.
        try both.confirm(last)
        try primary.connection().run("UPDATE copied.items SET position = 9 WHERE id = 1")
        #expect(throws: CommitError.changedMeanwhile) { try both.confirm(last) }
        try waitUntil { try both.revisions(after: last)?.isEmpty == false }
        #expect(try both.head().epoch == last.epoch)
    }
}
