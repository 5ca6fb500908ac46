import Dispatch
import Foundation
import Levels
import Locking
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("The store of a remote document")
struct RemoteStoreTests {
    private let journal = Journal()

    private func store(_ origin: StubOrigin, interval: Duration = .milliseconds(20)) throws -> TreeStore {
        let document = RemoteDocument(address: try RemoteAddress(origin()), interval: interval)
        return try TreeStore(source: document) { [journal] in journal.note($0) }
    }

    @Test("keeps its tree while the origin fails, reports each reason once, and recovers by itself")
    func failures() throws {
        let origin = try StubOrigin(script: [
            .document(items("A"), tag: "\"a\""), .status("500 Oh"), .status("500 Oh"),
            .status("502 Oh"), .notModified(),
        ])
        let store = try store(origin)
        let before = store.current
        #expect(journal.waits { journal.recoveries == 1 })
        #expect(store.current === before)
        #expect(store.status == .ok)
        #expect(
            journal.refusals == [
                "\(origin()): the server responded with status 500 (Internal Server Error): the server failed; the request will be repeated.",
                "\(origin()): the server responded with status 502 (Bad Gateway): the server failed; the request will be repeated.",
            ])
    }

    @Test("is stale while the origin's document cannot be read, and recovers with a new document")
    func garbage() throws {
        let origin = try StubOrigin(script: [
            .document(items("A"), tag: "\"a\""), .document("nonsense"), .status("500 Oh"), .document(items("B")),
        ])
        let store = try store(origin)
        #expect(journal.waits { store.titles == ["B"] && store.status == .ok })
        #expect(
            journal.refusals == [
                "\(origin()): it is not a property list: it begins with neither '<' (XML), 'bplist00' (binary) nor '{' or '[' (JSON), but 'nonsense'.",
                "\(origin()): the server responded with status 500 (Internal Server Error): the server failed; the request will be repeated.",
            ])
        // The document was read, the other answer was not.
        let readings = journal.events.compactMap { if case .refused(_, let took) = $0 { took > .zero } else { nil } }
        #expect(readings == [true, false])
    }

    @Test("answers a reload with the document fetched for it, even if the origin holds an answer back")
    func reloads() throws {
        let answer = Guarded(StubOrigin.Answer.document(items("A"), tag: "\"a\""))
        let origin = try StubOrigin { request in
            request.fields["prefer"] == nil ? answer.withLock { $0 } : .silence
        }
        let store = try store(origin)
        #expect(origin.waits(forRequests: 2))
        answer.withLock { $0 = .document(items("B"), tag: "\"b\"") }
        guard case .published(let snapshot) = store.reloaded() else {
            Issue.record("nothing was published")
            return
        }
        #expect(snapshot === store.current)
        #expect(store.titles == ["B"])
        answer.withLock { $0 = .notModified() }
        guard case .unchanged(let same) = store.reloaded() else {
            Issue.record("something was published")
            return
        }
        #expect(same === snapshot)
    }

    @Test("reports a refusal again to every caller")
    func refusedReloads() throws {
        let answer = Guarded(StubOrigin.Answer.document(items("A")))
        let origin = try StubOrigin { _ in answer.withLock { $0 } }
        let store = try store(origin, interval: .seconds(3_600))
        answer.withLock { $0 = .status("410 Gone") }
        for count in 1...2 {
            guard case .refused(let error) = store.reloaded() else {
                Issue.record("it was not refused")
                return
            }
            #expect(store.status.lastError == error.description)
            #expect(journal.refusals.count >= count)
        }
        #expect(store.titles == ["A"])
    }

    @Test("fetches again for a reload that is asked for during a fetch")
    func overlappingReloads() throws {
        let (held, requests, told) = (Guarded<TreeStore?>(nil), Guarded(0), Guarded<[String]>([]))
        let done = DispatchSemaphore(value: 0)
        @Sendable func reload(_ store: TreeStore) {
            store.reload { outcome in
                if case .published(let snapshot) = outcome { told.withLock { $0.append(snapshot.titles) } }
                done.signal()
            }
        }
        let origin = try StubOrigin { _ in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            if number == 2, let store = held.withLock({ $0 }) { reload(store) }
            return .document(items("\(number)"))
        }
        let store = try store(origin, interval: .seconds(3_600))
        held.withLock { $0 = store }
        reload(store)
        for _ in 0..<2 { #expect(done.wait(timeout: .now() + .seconds(120)) == .success) }
        #expect(told.withLock { $0 } == ["2", "3"])
        held.withLock { $0 = nil }
    }

    @Test("stops at once while an origin holds its answer back, and answers waiting callers")
    func stop() throws {
        let isFirst = Guarded(true)
        let origin = try StubOrigin { _ in
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return first ? .document(items("A"), tag: "\"a\"") : .silence
        }
        let store = try store(origin)
        let told = Guarded<[String]>([])
        #expect(origin.waits(forRequests: 2))
        store.reload { outcome in told.withLock { $0.append("\(outcome)") } }
        #expect(origin.waits(forRequests: 3))
        let begun = ContinuousClock.now
        store.stop()
        #expect(ContinuousClock.now - begun < .seconds(10))
        #expect(told.withLock { $0 } == ["stopped"])
    }
}
