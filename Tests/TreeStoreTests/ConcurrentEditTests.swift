import Levels
import Locking
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

/// All that other threads ask of a store, at once; mainly for the sanitizers.
@Suite("Edits, reloads, readers and a stop at once") struct ConcurrentEditTests {
    private static let threads = 3
    private static let editsOfEach = 12

    /// The titles of the file in a folder.
    private func saved(_ scratch: borrowing ScratchFolder) throws -> [String] {
        let level = try PropertyListFile(path: scratch("Data.plist")).load(replacing: nil).tree.document.child(0)
        return level.map { level in (0..<level.count).map(level.title) } ?? []
    }

    @Test("leave every edit answered, and in the file exactly the acknowledged ones", arguments: [false, true])
    func atOnce(isStopped: Bool) throws {
        for _ in 0..<8 {
            let scratch = try ScratchFolder()
            try scratch.write("Data.plist", items("A"))
            let store = try TreeStore(source: PropertyListFile(path: scratch("Data.plist"))) { _ in }
            let (outcomes, reloads, told) = (EditOutcomes(), Guarded(0), Guarded<[Int]>([]))
            store.publications.subscribe { _, publication in told.withLock { $0.append(publication.number) } }
            try concurrently(Self.threads + 3) { thread in
                switch thread {
                case 0..<Self.threads:
                    for edit in 0..<Self.editsOfEach { store.insert("\(thread)-\(edit)", into: outcomes) }
                case Self.threads:
                    for _ in 0..<Self.editsOfEach { store.reload { _ in reloads.withLock { $0 += 1 } } }
                case Self.threads + 1:
                    for _ in 0..<200 { _ = store.current.titles }
                default:
                    if isStopped, outcomes.waits(for: 1) { store.stop() }
                }
            }
            #expect(outcomes.waits(for: Self.threads * Self.editsOfEach))
            store.stop()
            #expect(reloads.withLock { $0 } == Self.editsOfEach)
            let done = outcomes.all.filter { $0.value.hasPrefix("done ") }.keys
            #expect(outcomes.all.count { $0.value == "stopped" } == outcomes.all.count - done.count)
            #expect(isStopped || done.count == Self.threads * Self.editsOfEach)
            let titles = try saved(scratch)
            #expect(titles.sorted() == (["A"] + done).sorted())
            #expect(store.titles == titles)
            #expect(told.withLock { $0 } == Array(1...max(1, done.count)))
            // The edits of one thread are done in their order.
            for thread in 0..<Self.threads {
                let own = titles.filter { $0.hasPrefix("\(thread)-") }
                #expect(own == (0..<own.count).map { "\(thread)-\($0)" })
            }
        }
    }
}
