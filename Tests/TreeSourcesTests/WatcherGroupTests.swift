import Dispatch
import Levels
import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

@Suite("A group of watchers")
struct WatcherGroupTests {
    private let scratch: ScratchFolder
    private let files = WatchedFiles()

    init() throws { scratch = try ScratchFolder() }

    /// The armed watcher of a file, which need not exist.
    private func watcher(_ name: String) -> any SourceWatcher {
        let watcher = PropertyListFile(path: scratch(name), pollInterval: .seconds(3_600)).watcher(sharing: files)
        watcher.arm()
        return watcher
    }

    private func group(of names: String...) -> WatcherGroup<String> {
        var group = WatcherGroup<String>()
        for name in names { group[name] = watcher(name) }
        return group
    }

    /// Drives the group until something is reported; empty after twenty seconds without.
    private func nextReports(_ group: WatcherGroup<String>) -> [String] {
        let limit = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < limit {
            let reports = group.advance(at: .now)
            if !reports.isEmpty { return reports.map { "\($0.part) \($0.report)" } }
            var waits = WaitSet()
            waits.wake(by: limit)
            group.addWaits(to: &waits)
            waits.wait()
        }
        return []
    }

    @Test("reports what happened to each part, in the order of the parts")
    func fileParts() throws {
        for name in ["a", "b", "c"] { try scratch.write(name, items(name)) }
        let group = group(of: "c", "a", "b", "missing")
        #expect(group.advance(at: .now).isEmpty)
        try scratch.write("a", items("new"))
        #expect(nextReports(group) == ["a changed"])
        try scratch.write("missing", items("made"))
        try scratch.write("b", items("new"))
        try scratch.remove("c")
        #expect(nextReports(group) == ["c changed", "b changed", "missing changed"])
        #expect(group.advance(at: .now).isEmpty)
    }

    @Test("is not blocked by an origin that delays its response")
    func remote() throws {
        let release = DispatchSemaphore(value: 0)
        let origin = try StubOrigin { _ in
            release.wait()
            return .document(items("far"))
        }
        try scratch.write("near", items("near"))
        var group = group(of: "near")
        group["far"] = RemoteDocument(try RemoteAddress(origin())).watcher(sharing: files)
        // Nothing is requested without a refresh.
        #expect(group.advance(at: .now).isEmpty)
        #expect(group["far"]?.refresh() == false)
        while origin.requests.isEmpty {
            #expect(group.advance(at: .now).isEmpty)
            var waits = WaitSet()
            waits.wake(by: .now + .milliseconds(1))
            group.addWaits(to: &waits)
            waits.wait()
        }
        try scratch.write("near", items("nearer"))
        #expect(nextReports(group) == ["near changed"])
        release.signal()
        #expect(nextReports(group) == ["far arrived"])
        // The watcher waits for nothing until the document is loaded.
        var waits = WaitSet()
        group["far"]?.addWaits(to: &waits)
        #expect(waits.descriptors.isEmpty && waits.deadline == nil)
        let far = try #require(group["far"]).load(replacing: nil)
        #expect(far.tree.document.child(0)?.title(0) == "far")
    }

    @Test("drives parts that come, go, and change places while it runs")
    func changingParts() throws {
        var group = group(of: "a", "b")
        group["a"] = nil
        group["c"] = watcher("c")
        group["b"] = watcher("d")
        #expect(group.parts == ["b", "c"])
        #expect(group["a"] == nil)
        for name in ["a", "b", "c", "d"] { try scratch.write(name, items(name)) }
        #expect(nextReports(group) == ["b changed", "c changed"])
    }

    @Test("has the fingerprint of all its parts, unless only a load can tell that of one")
    func fingerprint() throws {
        var group = group(of: "a", "b")
        let first = try #require(group.fingerprint)
        #expect(group.fingerprint == first)
        try scratch.write("b", items("B"))
        #expect(group.fingerprint != first)
        group["far"] = RemoteDocument(try RemoteAddress("http://127.0.0.1:1/")).watcher(sharing: files)
        #expect(group.fingerprint == nil)
    }
}
