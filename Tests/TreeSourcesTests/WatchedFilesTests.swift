import Foundation
import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

@Suite("Watched files")
struct WatchedFilesTests {
    private let scratch: ScratchFolder
    private let files = WatchedFiles(every: .seconds(3_600))

    init() throws { scratch = try ScratchFolder() }

    private func watcher(_ name: String) -> FileWatcher { FileWatcher(path: scratch(name), sharing: files) }

    /// The positions of the watchers whose files may have changed.
    private func changed(_ watchers: [FileWatcher?]) -> Set<Int> {
        let found = files.takeChanged(at: .now)
        return Set(watchers.indices.filter { index in found.contains { $0 === watchers[index] } })
    }

    /// Whether the kernel has queued an event, relevant or not.
    private var isWoken: Bool {
        var waits = WaitSet()
        files.addWaits(to: &waits)
        var entry = pollfd(fd: waits.descriptors.first ?? -1, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    @Test("cost one descriptor and one wake-up, however many they are, and each reports its own changes")
    func many() throws {
        let names = (0..<600).map { "\($0 % 3)/\($0).plist" }
        for folder in 0..<3 { try scratch.folder("\(folder)") }
        for name in names { try scratch.write(name, items("A")) }
        let watchers = names.map(watcher)
        var waits = WaitSet()
        files.addWaits(to: &waits)
        #expect(waits.descriptors.count == 1)
        try scratch.write(names[17], items("B"))
        try scratch.write("aside", items("C"))
        try scratch.rename("aside", names[599])
        #expect(changed(watchers) == [17, 599])
        #expect(changed(watchers) == [])
    }

    @Test("are all looked at in intervals, and in between only those with events")
    func checks() throws {
        let files = WatchedFiles(every: .seconds(60))
        let paths = try ["a.plist", "b.plist"].map { try scratch.write($0, items("A")) }
        let watchers = paths.map { FileWatcher(path: $0, sharing: files) }
        // No event comes from a file that is still open for writing.
        let handle = try #require(FileHandle(forWritingAtPath: scratch("a.plist")))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(" ".utf8))
        #expect(files.takeChanged(at: .now).isEmpty)
        let later = ContinuousClock.now + .seconds(61)
        #expect(files.takeChanged(at: later).map(ObjectIdentifier.init) == [ObjectIdentifier(watchers[0])])
        #expect(files.takeChanged(at: later + .seconds(61)).isEmpty)
        try handle.close()
    }

    @Test("of the same name or folder do not take events from each other")
    func shared() throws {
        try scratch.folder("a")
        try scratch.write("a/Data.plist", items("A"))
        let (first, second) = (watcher("a/Data.plist"), watcher("a/Data.plist"))
        var third: FileWatcher? = watcher("a/b/Other.plist")
        try scratch.write("a/Data.plist", items("B"))
        #expect(changed([first, second, third]) == [0, 1])
        try scratch.folder("a/b")
        #expect(changed([first, second, third]) == [2])
        third = nil
        try scratch.rename("a", "c")
        #expect(changed([first, second, third]) == [0, 1])
    }

    @Test("that no watcher needs any more are not watched by the kernel")
    func forgotten() throws {
        var watcher: FileWatcher? = watcher("Data.plist")
        #expect(changed([watcher]) == [])
        watcher = nil
        #expect(files.takeChanged(at: .now).isEmpty)
        try scratch.write("Data.plist", items("A"))
        #expect(!isWoken)
    }
}
