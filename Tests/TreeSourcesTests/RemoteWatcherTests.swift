import Foundation
import Levels
import Locking
import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

@Suite("The watcher of a remote document")
struct RemoteWatcherTests {
    private let scratch: ScratchFolder
    private let wakeup: Wakeup
    private let notices = Guarded<[SourceNotice]>([])

    init() throws {
        scratch = try ScratchFolder()
        wakeup = try Wakeup()
    }

    private func watcher(
        _ origin: StubOrigin, interval: Duration = .seconds(3_600), copy: String? = nil,
        shape: Interpretation.Shape = .items, records: RecordOptions? = nil
    ) throws -> any SourceWatcher {
        let notices = notices
        var interpretation = Interpretation(shape: shape)
        interpretation.records = records
        let document = RemoteDocument(
            address: try RemoteAddress(origin()), interpretation: interpretation, limits: .init(bytes: 10_000),
            interval: interval, copyPath: copy.map { scratch($0) }
        ) { notice in notices.withLock { $0.append(notice) } }
        return document.makeWatcher()
    }

    /// The titles of the trees that the watcher has for its thread.
    private func load(_ watcher: any SourceWatcher) throws -> [String] {
        let document = try watcher.load(replacing: nil).tree.document
        guard let level = document.child(0) else { return [] }
        return (0..<level.count).map(level.title)
    }

    @Test("follows an origin that holds its answers back")
    func following() throws {
        let origin = try StubOrigin(script: [
            .document(items("A"), tag: "\"a\""), .document(items("B"), tag: "\"b\"", waited: true),
            .notModified(tag: "\"b\"", waited: true), .document(items("C"), tag: "\"c\"", waited: true),
        ])
        let watcher = try watcher(origin)
        #expect(try load(watcher) == ["A"])
        #expect(watcher.nextReport() == .arrived)
        #expect(try load(watcher) == ["B"])
        #expect(watcher.nextReport() == .confirmed)
        #expect(watcher.nextReport() == .arrived)
        #expect(try load(watcher) == ["C"])
        #expect(origin.conditions == ["", "\"a\" wait=50", "\"b\" wait=50", "\"b\" wait=50"])
    }

    @Test("asks an origin that does not at its interval")
    func interval() throws {
        let origin = try StubOrigin(script: [
            .document(items("A"), tag: "\"a\""), .notModified(), .notModified(), .document(items("B")),
            .document(items("C")),
        ])
        let watcher = try watcher(origin, interval: .milliseconds(20))
        #expect(try load(watcher) == ["A"])
        #expect(watcher.nextReport() == .confirmed)
        #expect(watcher.nextReport() == .confirmed)
        #expect(watcher.nextReport() == .arrived)
        #expect(try load(watcher) == ["B"])
        #expect(watcher.nextReport() == .arrived)
        #expect(origin.conditions == ["", "\"a\" wait=50", "\"a\" wait=50", "\"a\" wait=50", ""])
    }

    @Test("asks by the date where there is no tag")
    func date() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let origin = try StubOrigin(script: [
            .status("200 OK", ["Last-Modified": date], Array(items("A").utf8)), .notModified(),
        ])
        let watcher = try watcher(origin, interval: .milliseconds(20))
        #expect(try load(watcher) == ["A"])
        #expect(watcher.nextReport() == .confirmed)
        #expect(origin.conditions == ["", date])
    }

    @Test("asks at the interval where there is no tag, because the origin cannot hold such an answer back")
    func withoutTag() throws {
        let start = ContinuousClock.now
        let origin = try StubOrigin(script: [.document(items("A"))])
        let watcher = try watcher(origin)
        #expect(try load(watcher) == ["A"])
        var waits = WaitSet()
        watcher.addWaits(to: &waits)
        #expect(try #require(waits.deadline) >= start + .seconds(3_600))
        #expect(origin.conditions == [""])
    }

    @Test("reports a failure at once, and then requests an answer without delay")
    func failure() throws {
        let origin = try StubOrigin(script: [
            .document(items("A"), tag: "\"a\""), .status("500 Oh"), .notModified(),
        ])
        let watcher = try watcher(origin)
        #expect(try load(watcher) == ["A"])
        #expect(
            watcher.nextReport()
                == .failed(
                    SourceError(
                        origin(),
                        reason:
                            "the server responded with status 500 (Internal Server Error): the server failed; the request will be repeated"
                    )))
        #expect(watcher.nextReport() == .confirmed)
        #expect(origin.conditions == ["", "\"a\" wait=50", "\"a\""])
    }

    @Test("requests with the validators of the loaded document, and not of a refused one")
    func refusedDocument() throws {
        let origin = try StubOrigin(script: [
            .document(items("A"), tag: "\"a\""), .document("nonsense", tag: "\"b\"", waited: true),
            .document(items("C"), tag: "\"c\""),
        ])
        let watcher = try watcher(origin)
        #expect(try load(watcher) == ["A"])
        #expect(watcher.nextReport() == .arrived)
        #expect(throws: SourceError.self) { try load(watcher) }
        #expect(watcher.nextReport() == .arrived)
        #expect(try load(watcher) == ["C"])
        #expect(origin.conditions == ["", "\"a\" wait=50", "\"a\""])
    }

    @Test("keeps the fields that are titles in a document that is read as it is")
    func titles() throws {
        let origin = try StubOrigin(script: [
            .document(#"{"l":[{"id":1,"name":"a"}],"n":1}"#),
            .document(#"{"l":[{"id":5,"title":"x","name":"c"},{"id":6,"title":"y"}],"n":1}"#),
        ])
        let watcher = try watcher(origin, interval: .milliseconds(20), shape: .auto, records: RecordOptions())
        let first = try watcher.load(replacing: nil).tree.document
        #expect(watcher.nextReport() == .arrived)
        let level = try #require(watcher.load(replacing: first).tree.document.child(0)?.child(0))
        #expect((0..<level.count).map(level.title) == ["c", "6"])
    }

    @Test("abandons a request that is held back, and requests at once, on refresh")
    func refresh() throws {
        let count = Guarded(0)
        let wakeup = wakeup
        let origin = try StubOrigin { _ in
            switch count.withLock({ count in
                count += 1
                return count
            }) {
            case 1: return .document(items("A"), tag: "\"a\"")
            case 2:
                wakeup.signal()
                return .silence
            default: return .document(items("B"), tag: "\"b\"")
            }
        }
        let watcher = try watcher(origin)
        #expect(try load(watcher) == ["A"])
        #expect(watcher.nextReport(unless: wakeup) == nil)
        #expect(!watcher.refresh())
        #expect(watcher.nextReport() == .arrived)
        #expect(try load(watcher) == ["B"])
        #expect(origin.conditions == ["", "\"a\" wait=50", "\"a\""])
    }

    @Test("requests at once on refresh, even if the origin wants to be left alone")
    func refreshInBackOff() throws {
        let origin = try StubOrigin(script: [
            .document(items("A"), tag: "\"a\""), .status("503 Busy", ["Retry-After": "3600"]), .notModified(),
        ])
        let watcher = try watcher(origin)
        #expect(try load(watcher) == ["A"])
        guard case .failed = watcher.nextReport() else {
            Issue.record("nothing failed")
            return
        }
        #expect(!watcher.refresh())
        #expect(watcher.nextReport() == .confirmed)
    }

    // MARK: The copy

    /// Loads once and keeps a copy of it.
    private func keep(_ origin: StubOrigin, in copy: String, records: RecordOptions? = nil) throws {
        let watcher = try watcher(origin, copy: copy, records: records)
        // At this instant, the next poll is not due yet, however long the load takes.
        let begun = ContinuousClock.Instant.now
        _ = try load(watcher)
        _ = watcher.advance(at: begun)
    }

    @Test("keeps a copy, from which it serves without a network")
    func copy() throws {
        let origin = try StubOrigin { _ in .document(items("A"), tag: "\"a\"") }
        try keep(origin, in: "Copy")
        #expect(try String(contentsOfFile: scratch("Copy"), encoding: .utf8) == items("A"))
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: scratch.path)) == ["Copy", "Copy.origin"])
        #expect(try FileManager.default.attributesOfItem(atPath: scratch("Copy"))[.posixPermissions] as? Int == 0o600)
        origin.stop()
        let second = try watcher(origin, copy: "Copy")
        #expect(try load(second) == ["A"])
        #expect(
            notices.withLock { $0 }.map(\.description) == [
                "\(scratch("Copy")): this copy is served until \(origin()) responds."
            ])
        #expect(
            second.nextReport()
                == .failed(
                    SourceError(origin(), reason: "cannot connect (Connection refused); is the server running?")))
    }

    @Test("reads its copy in the format of the document's media type")
    func copyOfTable() throws {
        let origin = try StubOrigin { _ in .status("200 OK", ["Content-Type": "text/csv"], Array("id,name\n1,x".utf8)) }
        try keep(origin, in: "Copy", records: RecordOptions())
        origin.stop()
        #expect(try load(watcher(origin, copy: "Copy", records: RecordOptions())) == ["x"])
    }

    @Test("asks whether its copy is still the document, at once and without delay")
    func copyConfirmed() throws {
        let origin = try StubOrigin { request in
            request.fields["if-none-match"] == nil ? .document(items("A"), tag: "\"a\"") : .notModified()
        }
        try keep(origin, in: "Copy")
        let second = try watcher(origin, copy: "Copy")
        #expect(try load(second) == ["A"])
        #expect(second.nextReport() == .confirmed)
        #expect(origin.conditions == ["", "\"a\""])
    }

    @Test("asks plainly where somebody else wrote the copy")
    func copyChanged() throws {
        let origin = try StubOrigin { _ in .document(items("A"), tag: "\"a\"") }
        try keep(origin, in: "Copy")
        try scratch.write("Copy", items("by hand"))
        let second = try watcher(origin, copy: "Copy")
        #expect(try load(second) == ["by hand"])
        #expect(second.nextReport() == .arrived)
        #expect(try load(second) == ["A"])
        #expect(origin.conditions == ["", ""])
        _ = second.advance(at: .now)
        #expect(try String(contentsOfFile: scratch("Copy"), encoding: .utf8) == items("A"))
    }

    @Test("fetches the document where the copy is broken, or another document's")
    func copyBroken() throws {
        let origin = try StubOrigin { _ in .document(items("A"), tag: "\"a\"") }
        try scratch.write("Copy", "<plist>")
        #expect(try load(watcher(origin, copy: "Copy")) == ["A"])
        let other = try StubOrigin { _ in .document(items("B"), tag: "\"a\"") }
        try keep(other, in: "Other")
        #expect(try load(watcher(origin, copy: "Other")) == ["A"])
        #expect(
            notices.withLock { $0 }.map(\.description) == [
                "\(scratch("Copy")):1:8: the document ends before the property list does; it was truncated. The copy is not used.",
                "\(scratch("Other")): it is a copy of \(other()); name another file for this document. The copy is not used.",
            ])
        #expect(origin.conditions == ["", ""])
    }

    @Test("says once that no copy can be kept, and goes on")
    func copyNotKept() throws {
        let origin = try StubOrigin(script: [
            .document(items("A"), tag: "\"a\""), .document(items("B"), tag: "\"b\""), .document(items("C")),
        ])
        let watcher = try watcher(origin, interval: .milliseconds(20), copy: "nowhere/Copy")
        #expect(try load(watcher) == ["A"])
        for title in ["B", "C"] {
            #expect(watcher.nextReport() == .arrived)
            #expect(try load(watcher) == [title])
        }
        #expect(watcher.advance(at: .now) == nil)
        #expect(
            notices.withLock { $0 }.map(\.description) == [
                "\(scratch("nowhere/Copy")): the copy of the document cannot be stored here: No such file or directory; free some space, or name another file in Cache. The new document is served anyway."
            ])
    }
}
