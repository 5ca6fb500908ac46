import Dispatch
import Glibc
import Levels
import Locking
import PropertyLists
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("The order of a store's work")
struct WorkOrderTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("A"))
    }

    @Test("is: load, save, answer, and then the rest")
    func order() throws {
        let steps = Guarded<[String]>([])
        let arrivals = DispatchSemaphore(value: 0)
        @Sendable func note(_ step: String) { steps.withLock { $0.append(step) } }
        func wait() { #expect(arrivals.wait(timeout: .now() + .seconds(120)) == .success) }
        let source = EditableSource(
            scratch("Data.plist"), onSave: { _ in note("save") }, onFinish: { note("finish") },
            onLoad: { note("load") })
        let store = try TreeStore(source: source)
        try scratch.write("Data.plist", items("B"))
        store.reload { _ in
            note("answer")
            arrivals.signal()
        }
        wait()
        let batch = EditBatch([.insert(.string("C"), below: .root, at: .last, section: nil)], isExact: false)
        store.edit(
            EditRequest(content: .edits(batch), author: nil, precondition: { _ in note("precondition") }) { _ in
                note("edited")
                arrivals.signal()
            })
        wait()
        store.stop()
        let all = steps.withLock { $0 }
        // The reload may have been preceded by one that noticed the change itself.
        #expect(all.filter { $0 == "load" }.count > 1)
        #expect(all.filter { $0 != "load" } == ["answer", "precondition", "save", "edited", "finish"])
    }

    @Test("shows the progress of each load, from its beginning to its end")
    func progress() throws {
        let changes = Guarded<[Bool]>([])
        let progress = LoadProgress { isLoading in changes.withLock { $0.append(isLoading) } }
        var interpretation = Interpretation()
        interpretation.progress = progress
        let file = PropertyListFile(path: scratch("Data.plist"), interpretation: interpretation)
        let store = try TreeStore(source: file, progress: progress)
        #expect(changes.withLock { $0 } == [true, false])
        _ = store.reloaded()
        #expect(changes.withLock { $0 } == [true, false, true, false])
    }
}
