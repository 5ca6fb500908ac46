import Foundation
import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

@Suite("Watched files")
struct WatchedFilesTests {
    private let scratch: ScratchFolder
    private let files = WatchedFiles()

    init() throws { scratch = try ScratchFolder() }

    /// An armed watcher.
    private func watcher(_ name: String, pollInterval: Duration = .seconds(3_600)) -> FileWatcher {
        let watcher = FileWatcher(path: scratch(name), every: pollInterval, sharing: files)
        watcher.arm()
        return watcher
    }

    /// Whether the kernel has queued an event, relevant or not.
    private var isWoken: Bool {
        var entry = pollfd(fd: files.descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    @Test("cost one descriptor and one wake-up, however many they are, and each reports its own changes")
    func many() throws {
        let names = (0..<600).map { "\($0 % 3)/\($0).plist" }
        for folder in 0..<3 { try scratch.folder("\(folder)") }
        for name in names { try scratch.write(name, items("A")) }
        let watchers = names.map { watcher($0, pollInterval: .seconds(2)) }
        var together = WaitSet()
        let deadlines = watchers.map { watcher in
            watcher.addWaits(to: &together)
            var own = WaitSet()
            watcher.addWaits(to: &own)
            return own.deadline
        }
        #expect(together.descriptors == [files.descriptor])
        #expect(Set(deadlines).count <= 2)
        try scratch.write(names[17], items("B"))
        try scratch.write("aside", items("C"))
        try scratch.rename("aside", names[599])
        let now = ContinuousClock.now
        let changed = watchers.indices.filter { watchers[$0].takeChange(at: now) }
        #expect(changed == [17, 599])
    }

    @Test("are checked at the same times if their intervals are the same")
    func checks() {
        let now = ContinuousClock.now
        for interval in [Duration.zero, .milliseconds(20), .seconds(2), .seconds(86_400)] {
            let first = files.nextCheck(after: now, every: interval)
            let least = max(interval, .milliseconds(1))
            #expect(first > now && first <= now + least)
            #expect(files.nextCheck(after: first - .nanoseconds(1), every: interval) == first)
            #expect(files.nextCheck(after: first, every: interval) == first + least)
        }
    }

    @Test("of the same name or folder do not take events from each other")
    func shared() throws {
        try scratch.folder("a")
        try scratch.write("a/Data.plist", items("A"))
        let first = watcher("a/Data.plist")
        let second = watcher("a/Data.plist")
        var third: FileWatcher? = watcher("a/b/Other.plist")
        try scratch.write("a/Data.plist", items("B"))
        #expect(first.takeChange(at: .now))
        #expect(second.takeChange(at: .now))
        #expect(third?.takeChange(at: .now) == false)
        second.arm()
        try scratch.folder("a/b")
        #expect(third?.takeChange(at: .now) == true)
        third?.arm()
        #expect(!first.takeChange(at: .now))
        third = nil
        try scratch.rename("a", "c")
        #expect(first.takeChange(at: .now))
        #expect(second.takeChange(at: .now))
    }

    @Test("do not wake the thread for events that no watcher needs any more")
    func narrowed() throws {
        let other = watcher("Other.plist")
        let watcher = watcher("a/b/Data.plist")
        try scratch.folder("a/b")
        #expect(watcher.takeChange(at: .now))
        watcher.arm()
        try scratch.write("a/Neighbour", "x")
        #expect(!isWoken)
        try scratch.write("a/b/Neighbour", "x")
        #expect(isWoken)
        #expect(!watcher.takeChange(at: .now))
        try scratch.write("Other.plist", items("A"))
        #expect(!watcher.takeChange(at: .now))
        #expect(other.takeChange(at: .now))
    }

    @Test("that no watcher needs any more are not watched by the kernel")
    func forgotten() throws {
        var watcher: FileWatcher? = watcher("Data.plist")
        #expect(watcher?.takeChange(at: .now) == false)
        watcher = nil
        _ = files.takeChange(of: files.add(), at: .now)
        try scratch.write("Data.plist", items("A"))
        #expect(!isWoken)
    }
}
