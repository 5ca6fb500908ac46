import Levels
import Testing

@testable import TestDocuments
@testable import TestSupport
@testable import TreeSources

/// Batches whose steps depend on each other, saved to every kind of source.
@Suite("A batch that is saved to any source") struct EditedBatchTests {
    private static let kinds: [TestedKind] = [.xml, .binary, .json, .memory, .sqlite, .postgres]

    private static let batches: [(edits: @Sendable () throws -> [Edit], outline: String)] = [
        ({ try [.move("/T/M/D", below: "/"), .delete("/T")] }, "A B D(d)"),
        ({ try [.move("/T/M/D", below: "/A"), .delete("/T/M")] }, "A(D(d)) B T(S)"),
        ({ try [.move("/T/M/D/d", below: "/T"), .delete("/T/M")] }, "A B T(S d)"),
        ({ try [.move("/T/M", below: "/B"), .move("/B/M/D", below: "/T", .first), .delete("/B")] }, "A T(D(d) S)"),
        ({ try [.delete("/T/M"), .insert(#"{"Title":"M","Rows":["new"]}"#, "/T", .first)] }, "A B T(M(new) S)"),
        ({ try [.move("/T", below: "/A"), .move("/A/T/M/D", below: "/", .first), .delete("/A")] }, "D(d) B"),
    ]

    /// The titles of all rows, with those below in parentheses.
    private func outline(_ level: Level?) -> String {
        guard let level else { return "" }
        return level.rowNumbers.map { row in
            let below = outline(level.child(row))
            return level.title(row) + (below.isEmpty ? "" : "(\(below))")
        }.joined(separator: " ")
    }

    @Test(
        "is read back as the tree that its edits made, however deep an item was below one that is gone",
        arguments: kinds)
    func batches(_ kind: TestedKind) throws {
        for (edits, expected) in Self.batches {
            let scratch = try ScratchFolder()
            defer { withExtendedLifetime(scratch) {} }
            let tested = try kind.make(scratch)
            let watcher = tested.source.makeWatcher()
            _ = try watcher.load(replacing: nil)
            func save(_ edits: [Edit], attempts: Int = 100) throws -> Level {
                let group = try watcher.beginEdits()
                let edited = try #require(try group.apply(EditBatch(edits, isExact: false), by: nil))
                defer { group.finish() }
                do throws(SaveError) { _ = try group.save() } catch .changedMeanwhile where attempts > 1 {
                    // Another suite has just forked a child, in which the file was open until it executed its program.
                    _ = try watcher.load(replacing: nil)
                    return try save(edits, attempts: attempts - 1)
                }
                return edited.document
            }
            _ = try save([
                .insert(#"{"Title":"T","Rows":[{"Title":"M","Rows":[{"Title":"D","Rows":["d"]},"m"]},"S"]}"#, "/")
            ])
            let edited = try save(try edits())
            let read = try tested.source.load(replacing: nil).tree.document
            #expect(outline(read.child(0)) == expected)
            #expect(read.hash == edited.hash)
        }
    }
}
