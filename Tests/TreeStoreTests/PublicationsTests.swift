import Dispatch
import Levels
import Locking
import Testing
import TreeSources

@testable import TestSupport
@testable import TreeStore

@Suite("Publications")
struct PublicationsTests {
    private let scratch: ScratchFolder
    private let told = Guarded<[String]>([])

    init() throws { scratch = try ScratchFolder() }

    private func snapshot(_ number: Int) throws -> Snapshot {
        try scratch.write("Data.plist", "[\"\(number)\"]")
        let document = try PropertyListFile(path: scratch("Data.plist")).load(replacing: nil).tree.document
        return Snapshot(document: document, revision: "k3-\(number)", loadedAt: 0)
    }

    private func follow(_ publications: Publications) {
        publications.subscribe { [told] old, new in
            told.withLock { $0.append("\(old.revision) to \(new.snapshot.revision), number \(new.number)") }
        }
    }

    @Test("are visible at once, and notified later, each once and in order")
    func order() throws {
        let publications = Publications(first: try snapshot(1))
        follow(publications)
        for number in 2...3 { publications.publish(try snapshot(number)) }
        #expect(publications.current.snapshot.revision == "k3-3")
        #expect(publications.current.number == 2)
        #expect(told.withLock { $0 } == [])
        publications.notify()
        publications.notify()
        #expect(told.withLock { $0 } == ["k3-1 to k3-2, number 1", "k3-2 to k3-3, number 2"])
    }

    @Test("of a turn are notified after its end, and after the actions that wait for the end")
    func turn() throws {
        let publications = Publications(first: try snapshot(1), hasTurns: true) { [told] in
            told.withLock { $0.append("ring") }
        }
        func wait(_ name: String) { publications.atEndOfTurn { [told] in told.withLock { $0.append(name) } } }
        wait("at once")
        publications.endTurn()
        #expect(told.withLock { $0 } == ["at once"])
        for number in 2...3 {
            publications.publish(try snapshot(number))
            wait("after \(number)")
        }
        #expect(told.withLock { $0 } == ["at once"])
        publications.endTurn()
        #expect(told.withLock { $0 } == ["at once", "after 2", "after 3", "ring"])
        publications.publish(publications.current.snapshot)
        wait("unchanged")
        publications.endTurn()
        #expect(told.withLock { $0 } == ["at once", "after 2", "after 3", "ring", "unchanged"])
    }

    @Test("of the current snapshot are none")
    func same() throws {
        let publications = Publications(first: try snapshot(1))
        follow(publications)
        publications.publish(publications.current.snapshot)
        publications.notify()
        #expect(publications.current.number == 0)
        #expect(told.withLock { $0 } == [])
    }

    @Test("are notified to a subscriber from the one after its first publication")
    func late() throws {
        let publications = Publications(first: try snapshot(1))
        publications.subscribe { _, _ in }
        publications.publish(try snapshot(2))
        #expect(publications.subscribe { _, _ in }.number == 1)
        follow(publications)
        publications.publish(try snapshot(3))
        publications.notify()
        #expect(told.withLock { $0 } == ["k3-2 to k3-3, number 2"])
    }

    @Test("are notified once to a subscriber that is added during a notification")
    func meanwhile() throws {
        let publications = Publications(first: try snapshot(1))
        publications.subscribe { [self, weak publications] _, new in
            if new.number == 1, let publications { follow(publications) }
        }
        for number in 2...3 { publications.publish(try snapshot(number)) }
        publications.notify()
        #expect(told.withLock { $0 } == [])
        publications.publish(try snapshot(4))
        publications.notify()
        #expect(told.withLock { $0 } == ["k3-3 to k3-4, number 3"])
    }

    @Test("are kept by number and revision within the budget, the newest first")
    func history() throws {
        let publications = Publications(first: try snapshot(1))
        for number in 2...4 { publications.publish(try snapshot(number)) }
        #expect(publications.replaced.map(\.revision) == ["k3-3", "k3-2", "k3-1"])
        #expect(publications.snapshot(1)?.revision == "k3-2")
        #expect(publications.snapshot(3) == nil)
        #expect((1...5).map { publications.number(of: "k3-\($0)") } == [0, 1, 2, 3, nil])
        let cost = RetainedBytes.of(
            publications.replaced[0].document, beside: publications.current.snapshot.document, atMost: .max)
        publications.reserve(publications.historyBytes - 2 * cost)
        #expect(publications.replaced.map(\.revision) == ["k3-3", "k3-2"])
        for excess in 0...1 {
            publications.reserve(publications.historyBytes + excess)
            #expect(publications.replaced.isEmpty)
        }
        #expect(publications.number(of: "k3-1") == 0)
    }

    @Test("are kept up to the 512 latest that were replaced, whatever the budget")
    func most() throws {
        let (one, two) = (try snapshot(1).document, try snapshot(2).document)
        func next(_ number: Int) -> Snapshot {
            Snapshot(document: number.isMultiple(of: 2) ? two : one, revision: "k3-\(number)", loadedAt: 0)
        }
        let publications = Publications(first: next(0))
        for number in 1...512 { publications.publish(next(number)) }
        #expect(publications.replaced.map(\.revision) == (0..<512).reversed().map { "k3-\($0)" })
        publications.publish(next(513))
        #expect(publications.replaced.map(\.revision) == (1..<513).reversed().map { "k3-\($0)" })
        #expect(publications.snapshot(0) == nil)
        #expect(publications.snapshot(1)?.revision == "k3-1")
    }

    @Test("without a budget keep no snapshot, even before any notification")
    func none() throws {
        let publications = Publications(first: try snapshot(1), historyBytes: 0)
        publications.publish(try snapshot(2))
        #expect(publications.replaced.isEmpty)
        #expect(publications.number(of: "k3-1") == 0)
    }

    @Test("release a snapshot with its last holder, and hold no snapshot after all notifications")
    func release() throws {
        let released = Guarded<[String]>([])
        func releasing(_ number: Int) throws -> Snapshot {
            let document = try snapshot(number).document
            return Snapshot(document: document, revision: "", loadedAt: 0) { tree in
                released.withLock { $0.append(tree.child(0)?.title(0) ?? "") }
            }
        }
        let publications = Publications(first: try releasing(1), historyBytes: 0)
        publications.publish(try releasing(2))
        #expect(released.withLock { $0 } == ["1"])
        publications.subscribe { _, _ in }
        var reader: Snapshot? = publications.current.snapshot
        publications.publish(try releasing(3))
        publications.notify()
        #expect(released.withLock { $0 } == ["1"])
        #expect(reader?.itemCount == 1)
        reader = nil
        #expect(released.withLock { $0 } == ["1", "2"])
    }

    @Test("forget the revisions before the latest 16,384")
    func revisions() throws {
        let (one, two) = (try snapshot(1).document, try snapshot(2).document)
        let publications = Publications(first: Snapshot(document: one, revision: "k3-0", loadedAt: 0), historyBytes: 0)
        for number in 1...16_436 {
            let document = number.isMultiple(of: 2) ? one : two
            publications.publish(Snapshot(document: document, revision: "k3-\(number)", loadedAt: 0))
        }
        #expect(publications.number(of: "k3-51") == nil)
        #expect(publications.number(of: "k3-52") == 52)
        #expect(publications.number(of: "k3-16436") == 16_436)
    }

    @Test("cost the bytes of their documents in all languages")
    func languages() throws {
        let (one, two) = (try snapshot(1).document, try snapshot(2).document)
        func translated(_ document: Level, german: Level) -> Snapshot {
            let variant = Translations.Variant(name: "de", language: "de", document: german)
            return Snapshot(
                document: document, translations: Translations(variants: [variant], fallback: nil), revision: "",
                loadedAt: 0)
        }
        func cost(beside new: Snapshot) -> Int {
            RetainedBytes.of(translated(one, german: one), beside: new, atMost: 1 << 20)
        }
        let single = RetainedBytes.of(one, beside: two, atMost: 1 << 20)
        #expect(cost(beside: translated(two, german: two)) == 2 * single)
        // The languages share some rows with the new snapshot; these cost nothing.
        #expect(cost(beside: translated(two, german: one)) < 2 * single)
    }

    @Test("cost the latest given size, and a repeated revision is known as long as its last publication")
    func costs() throws {
        let document = try snapshot(1).document
        func publication(_ number: Int) -> Publication {
            let name = number == 2 ? 0 : number
            return Publication(
                snapshot: Snapshot(document: document, revision: "k3-\(name)", loadedAt: 0), number: number)
        }
        var kept = KeptSnapshots(publication(0))
        kept.add(publication(0), replacedBy: publication(1), isKept: true)
        for _ in 0..<2 { kept.setCost(of: 0, to: 10) }
        #expect(kept.shrink(to: 10).isEmpty && kept.snapshot(0) != nil)
        #expect(kept.shrink(to: 9).count == 1 && kept.snapshot(0) == nil)
        for number in 1...16_384 {
            kept.add(publication(number), replacedBy: publication(number + 1), isKept: false)
        }
        _ = kept.shrink(to: 10)
        #expect(kept.number(of: "k3-0") == 2)
        #expect(kept.number(of: "k3-1") == 1)
    }
}
