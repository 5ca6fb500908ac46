import Dispatch
import Foundation
import Glibc
import Levels
import Locking
import Synchronization
import Testing
import Threads
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("The notifier of a store")
struct NotifierTests {
    private let scratch: ScratchFolder
    private let file: PropertyListFile

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("0"))
        file = PropertyListFile(path: scratch("Data.plist"), pollInterval: .seconds(3_600))
    }

    /// Saves another document and waits until it is published.
    private func publish(_ number: Int, in store: TreeStore) throws {
        try scratch.write("Data.plist", items("\(number)"))
        let done = DispatchSemaphore(value: 0)
        store.reload { _ in done.signal() }
        #expect(done.wait(timeout: .now() + .seconds(120)) == .success)
        #expect(store.titles == ["\(number)"])
    }

    @Test("does not delay the store, and is notified of everything published before the stop")
    func lag() throws {
        let store = try TreeStore(source: file)
        let isFree = DispatchSemaphore(value: 0)
        let told = Guarded<[Int]>([])
        store.publications.subscribe { _, new in
            if new.number == 1 { isFree.wait() }
            told.withLock { $0.append(new.number) }
        }
        for number in 1...5 { try publish(number, in: store) }
        #expect(told.withLock { $0 } == [])
        isFree.signal()
        store.stop()
        #expect(told.withLock { $0 } == Array(1...store.publications.current.number))
    }

    @Test("holds a publisher back when it lags behind by 8 publications, until it has caught up")
    func room() throws {
        let notifier = try Notifier()
        let documents = try (0...1).map { number in
            try scratch.write("Data.plist", items("\(number)"))
            return try file.load(replacing: nil).tree.document
        }
        @Sendable func snapshot(_ number: Int) -> Snapshot {
            Snapshot(document: documents[number % 2], revision: "k3-\(number)", loadedAt: 0)
        }
        let state = StoreState(first: snapshot(0), historyBytes: 0, notifier: notifier)
        let hasReturned = Atomic(false)
        let hadReturned = Guarded<[Bool]>([])
        state.publications.subscribe { _, _ in
            hadReturned.withLock { $0.append(hasReturned.load(ordering: .acquiring)) }
        }
        for number in 1..<8 { state.publish(snapshot(number)) }
        let publisher = try Threads.Thread(name: "publisher") {
            state.publish(snapshot(8))
            hasReturned.store(true, ordering: .releasing)
        }
        while state.publications.current.number < 8 { sched_yield() }
        let thread = try notifier.start(state.publications)
        publisher.join()
        #expect(hadReturned.withLock { $0 } == Array(repeating: false, count: 8))
        notifier.stop()
        thread.join()
    }

    @Test("lets a publisher go that waits when the limit ends")
    func limitEnds() throws {
        let notifier = try Notifier()
        try scratch.write("Data.plist", items("1"))
        let document = try file.load(replacing: nil).tree.document
        func snapshot(_ number: Int) -> Snapshot { Snapshot(document: document, revision: "k3-\(number)", loadedAt: 0) }
        let state = StoreState(first: snapshot(0), historyBytes: 0, notifier: notifier)
        state.publications.subscribe { _, _ in }
        for number in 1...8 { state.publications.publish(snapshot(number)) }
        let thread = Guarded("")
        let publisher = try Threads.Thread(name: "publisher") {
            let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            thread.withLock { $0 = name ?? "" }
            notifier.waitForRoom(state.publications)
        }
        while thread.withLock({ $0.isEmpty }) { sched_yield() }
        let path = "/proc/\(thread.withLock { $0 })/stat"
        // The thread does nothing else for which it would sleep.
        while try !String(contentsOfFile: path, encoding: .utf8).contains(") S ") { sched_yield() }
        notifier.endLimit()
        publisher.join()
    }

    @Test("bounds what edits publish while a subscriber does not return, and a stop ends their wait")
    func stuckSubscriber() throws {
        let store = try TreeStore(source: file)
        let isFree = DispatchSemaphore(value: 0)
        store.publications.subscribe { _, new in if new.number == 1 { isFree.wait() } }
        let outcomes = EditOutcomes()
        for number in 1...600 { store.insert("\(number)", into: outcomes) }
        while store.publications.pendingCount < 8 { sched_yield() }
        store.requestStop()
        #expect(outcomes.waits(for: 600))
        let done = outcomes.all.values.count { $0.hasPrefix("done") }
        #expect(outcomes.all.values.count { $0 == "stopped" } == 600 - done)
        // One request is being answered, seven do not delay the next group, and a group has 256 requests at most.
        #expect((9...1 + 7 + EditQueue.groupLimit).contains(done))
        #expect(store.publications.current.number == done)
        isFree.signal()
        store.stop()
    }

    @Test("lets a subscriber stop the store")
    func stopped() throws {
        let store = try TreeStore(source: file)
        let isStopped = DispatchSemaphore(value: 0)
        store.publications.subscribe { [weak store] _, _ in
            store?.stop()
            isStopped.signal()
        }
        try scratch.write("Data.plist", items("1"))
        store.reload()
        #expect(isStopped.wait(timeout: .now() + .seconds(120)) == .success)
    }
}
