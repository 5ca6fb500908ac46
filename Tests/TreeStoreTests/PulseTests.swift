import Dispatch
import Levels
import Locking
import PropertyLists
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("The pulse of a store")
struct PulseTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("A"))
    }

    /// Waits for an event; fails after twenty seconds.
    private func wait(_ event: DispatchSemaphore) { #expect(event.wait(timeout: .now() + .seconds(120)) == .success) }

    @Test("is felt while the store has nothing to do")
    func idle() throws {
        let store = try TreeStore(source: PropertyListFile(path: scratch("Data.plist")))
        let answered = DispatchSemaphore(value: 0)
        for _ in 0..<3 {
            store.ask { answered.signal() }
            wait(answered)
        }
        store.stop()
    }

    @Test("is felt while the source takes long to read")
    func reading() throws {
        let isBlocked = Guarded(false)
        let (reading, released, answered) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let source = EditableSource(
            scratch("Data.plist"), onSave: { _ in },
            onLoad: {
                guard isBlocked.withLock({ $0 }) else { return }
                reading.signal()
                released.wait()
            })
        let store = try TreeStore(source: source)
        isBlocked.withLock { $0 = true }
        store.reload()
        wait(reading)
        store.ask { answered.signal() }
        wait(answered)
        isBlocked.withLock { $0 = false }
        released.signal()
        store.stop()
    }

    @Test("is missing while the store's thread hangs elsewhere")
    func hanging() throws {
        let (hangs, released, answered) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let store = try TreeStore(source: PropertyListFile(path: scratch("Data.plist")))
        store.reload { _ in
            hangs.signal()
            released.wait()
        }
        wait(hangs)
        let steps = Guarded<[String]>([])
        store.ask {
            steps.withLock { $0.append("answered") }
            answered.signal()
        }
        steps.withLock { $0.append("released") }
        released.signal()
        wait(answered)
        #expect(steps.withLock { $0 } == ["released", "answered"])
        store.stop()
    }
}
