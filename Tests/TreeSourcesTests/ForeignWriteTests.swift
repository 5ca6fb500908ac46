import Files
import Foundation
import Levels
import Locking
import PropertyLists
import Testing

@testable import TestSupport
@testable import TreeSources

/// Programs that write into a document's file, instead of replacing it, during a save.
@Suite("A file that changes in place while it is copied for a save") struct ForeignWriteTests {
    private enum Change: CaseIterable { case truncated, otherBytes, longer }

    @Test("is a foreign save, and stays as the other program has left it", arguments: [10, 15_000])
    func foreignSave(rows: Int) throws {
        for change in Change.allCases {
            for step in rows > 10 ? [FileReplacement.Step.write] : [.create, .write, .sync] {
                let scratch = try ScratchFolder()
                let text = "[\"A\",\n" + (0..<rows).map { "\"row \($0) and so on\"" }.joined(separator: ",\n") + "]"
                let path = try scratch.write("Data.json", text)
                let foreign =
                    switch change {
                    case .truncated: ""
                    case .otherBytes: text.replacing("so on", with: "SO ON")
                    case .longer: text + "\n"
                    }
                let writes = Guarded(0)
                let file = PropertyListFile(path: path, pollInterval: .seconds(3_600))
                let watcher = DocumentWatcher(document: file) { found, _ in
                    guard found == step else { return nil }
                    let isFirst = writes.withLock { count in
                        count += 1
                        return count == 1
                    }
                    guard isFirst else { return nil }
                    do {
                        let handle = try FileHandle(forWritingTo: URL(filePath: path))
                        try handle.truncate(atOffset: 0)
                        try handle.write(contentsOf: Data(foreign.utf8))
                        try handle.close()
                    } catch {
                        Issue.record(error)
                    }
                    return nil
                }
                _ = try watcher.load(replacing: nil)
                let group = try watcher.beginEdits()
                _ = try group.apply(
                    EditBatch([.insert(.string("B"), below: .root, at: .after("A"), section: nil)], isExact: false),
                    by: nil)
                let error = #expect(throws: SaveError.self) { try group.save() }
                guard case .changedMeanwhile? = error else {
                    Issue.record("\(change) before \(step): \(String(describing: error))")
                    continue
                }
                #expect(writes.withLock { $0 } > 0)
                // Foundation leaks memory when it reads an empty file.
                #expect(try SmallFile(path: path, maximumBytes: 1 << 20).bytes == Array(foreign.utf8))
            }
        }
    }
}
