import Dispatch
import Glibc
import Levels
import Locking
import PropertyLists
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("The priorities of a store")
struct PriorityTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("A"))
    }

    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    /// The steps in order, with the niceness of the thread of each.
    private final class Steps: Sendable {
        private let steps = Guarded<[String]>([])

        func note(_ step: String) {
            let niceness = PriorityTests.niceness
            steps.withLock { $0.append("\(step) at \(niceness)") }
        }

        var all: [String] { steps.withLock { $0 } }
    }

    @Test("are the usual one for edits and answers, and a lower one for loads; edits are answered before the rest")
    func niceness() throws {
        let steps = Steps()
        let arrivals = DispatchSemaphore(value: 0)
        @Sendable func note(_ step: String) {
            steps.note(step)
            arrivals.signal()
        }
        func wait() { #expect(arrivals.wait(timeout: .now() + .seconds(20)) == .success) }
        let source = EditableSource(
            scratch("Data.plist"), onSave: { _ in steps.note("save") }, onFinish: { steps.note("finish") },
            onLoad: { steps.note("load") })
        let store = try TreeStore(source: source)
        try scratch.write("Data.plist", items("B"))
        store.reload { _ in note("answer") }
        wait()
        // Reported on another thread, at any moment after the answer.
        store.publications.subscribe { _, _ in note("notification") }
        let batch = EditBatch([.insert(.string("C"), below: .root, at: .last, section: nil)], isExact: false)
        store.edit(
            EditRequest(content: .edits(batch), author: nil, precondition: { _ in steps.note("precondition") }) { _ in
                steps.note("edited")
            })
        wait()
        store.stop()
        let (usual, low) = (Self.niceness, max(Self.niceness, 10))
        // The reload may have been preceded by one that noticed the change itself.
        let loads = steps.all.filter { $0.hasPrefix("load") }
        #expect(loads.first == "load at \(usual)")
        #expect(loads.count > 1 && loads.dropFirst().allSatisfy { $0 == "load at \(low)" })
        #expect(
            steps.all.filter { !$0.hasPrefix("load") && !$0.hasPrefix("notification") } == [
                "answer at \(usual)", "precondition at \(usual)", "save at \(usual)", "edited at \(usual)",
                "finish at \(usual)",
            ])
        #expect(steps.all.filter { $0.hasPrefix("notification") } == ["notification at \(usual)"])
    }
}
