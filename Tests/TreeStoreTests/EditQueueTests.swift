import Levels
import Testing
import Threads

@testable import TreeStore

@Suite("The queue of edits")
struct EditQueueTests {
    /// Queues requests; returns the requests that share a save, as `D` for a whole document and `e` for another edit.
    private func groups(_ kinds: String) throws -> [String] {
        let queue = EditQueue(wakeup: try Wakeup())
        for kind in kinds {
            let content: EditRequest.Content = kind == "D" ? .document([]) : .edits(EditBatch([], isExact: false))
            queue.add(EditRequest(content: content, author: nil) { _ in })
        }
        var groups: [String] = []
        while groups.count <= kinds.count {
            let taken = queue.take()
            if taken.isEmpty { break }
            groups.append(String(taken.map { $0.replacesDocument ? "D" : "e" }))
        }
        return groups
    }

    @Test(
        "gives a whole document a save of its own, wherever it waits",
        arguments: [
            ("", []), ("eee", ["eee"]), ("D", ["D"]), ("Dee", ["D", "ee"]), ("eDe", ["e", "D", "e"]),
            ("eeDDe", ["ee", "D", "D", "e"]),
        ])
    func documents(_ waiting: String, _ groups: [String]) throws { #expect(try self.groups(waiting) == groups) }

    @Test("gives at most 256 edits one save")
    func limit() throws {
        let edits = String(repeating: "e", count: 600)
        #expect(try groups(edits).map(\.count) == [256, 256, 88])
        #expect(try groups(String(edits.prefix(256)) + "De").map(\.count) == [256, 1, 1])
    }
}

@Suite("Edits that are tried again")
struct OpenEditsTests {
    private let start = ContinuousClock.now

    /// The pauses before the attempts, in milliseconds; the last postponement was refused.
    private func pauses(isNew: Bool) -> [Int] {
        var edits = OpenEdits()
        var pauses: [Int] = []
        while edits.postpone(at: start, isNew: isNew), pauses.count < 100 {
            pauses.append(edits.next.map { Int(($0 - start) / .milliseconds(1)) } ?? 0)
        }
        return pauses
    }

    @Test("are tried nine times, with pauses that double unless the tree is a new one")
    func attempts() {
        #expect(pauses(isNew: false) == [10, 20, 40, 80, 160, 320, 640, 1_280])
        #expect(pauses(isNew: true) == [0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test("are due from the end of their pause on, and not when all were answered")
    func due() throws {
        let queue = EditQueue(wakeup: try Wakeup())
        var edits = OpenEdits()
        edits.fill(from: queue)
        #expect(!edits.isDue(at: start))
        queue.add(EditRequest(content: .document([]), author: nil) { _ in })
        edits.fill(from: queue)
        #expect(edits.isDue(at: start))
        _ = edits.postpone(at: start, isNew: false)
        #expect([9, 10, 11].map { edits.isDue(at: start + .milliseconds($0)) } == [false, true, true])
        edits.remove(first: 1)
        #expect(!edits.isDue(at: start))
    }
}
