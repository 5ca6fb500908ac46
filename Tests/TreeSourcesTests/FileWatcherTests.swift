import Files
import Foundation
import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

@Suite("A file watcher")
struct FileWatcherTests {
    private let scratch: ScratchFolder
    private let files = WatchedFiles()

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("A"))
    }

    /// An armed watcher, which by default never looks by itself.
    private func watcher(_ name: String = "Data.plist", pollInterval: Duration = .seconds(3_600)) -> FileWatcher {
        let watcher = FileWatcher(path: scratch(name), every: pollInterval, sharing: files)
        watcher.arm()
        return watcher
    }

    /// Whether the watcher reports nothing; the kernel queues an event before the call that causes it returns.
    private func isQuiet(_ watcher: FileWatcher) -> Bool { !watcher.takeChange(at: .now) }

    @Test("waits after each check until the next is due")
    func idle() throws {
        let watcher = watcher(pollInterval: .milliseconds(50))
        var due: [ContinuousClock.Instant] = []
        for _ in 0..<5 {
            var waits = WaitSet()
            watcher.addWaits(to: &waits)
            let next = try #require(waits.deadline)
            due.append(next)
            #expect(!watcher.takeChange(at: next))
        }
        #expect(zip(due, due.dropFirst()).map { $1 - $0 } == Array(repeating: .milliseconds(50), count: 4))
    }

    @Test("sees a file written in place")
    func inPlace() throws {
        let watcher = watcher()
        let handle = try #require(FileHandle(forWritingAtPath: scratch("Data.plist")))
        try handle.write(contentsOf: Data("x".utf8))
        #expect(isQuiet(watcher))
        try handle.close()
        #expect(watcher.seesChange())
    }

    @Test("sees a file renamed over it")
    func renamed() throws {
        let watcher = watcher()
        try scratch.write("aside", items("B"))
        #expect(isQuiet(watcher))
        try scratch.rename("aside", "Data.plist")
        #expect(watcher.seesChange())
    }

    @Test("sees each of the renames of vim, and the file that comes between them")
    func vim() throws {
        let watcher = watcher()
        try scratch.rename("Data.plist", "Data.plist~")
        #expect(watcher.seesChange())
        watcher.arm()
        try scratch.write("Data.plist", items("B"))
        #expect(watcher.seesChange())
        watcher.arm()
        try scratch.remove("Data.plist~")
        #expect(isQuiet(watcher))
    }

    @Test("sees a file deleted and made anew")
    func deleted() throws {
        let watcher = watcher()
        try scratch.remove("Data.plist")
        #expect(watcher.seesChange())
        watcher.arm()
        try scratch.write("Data.plist", items("B"))
        #expect(watcher.seesChange())
    }

    @Test("sees the link swapped that a deployment of Kubernetes swaps")
    func kubernetes() throws {
        for version in ["v1", "v2"] {
            try scratch.folder(version)
            try scratch.write("\(version)/Config.plist", items(version))
        }
        try scratch.link("..data", to: "v1")
        try scratch.link("Config.plist", to: "..data/Config.plist")
        let watcher = watcher("Config.plist")
        try scratch.link("..data_tmp", to: "v2")
        #expect(isQuiet(watcher))
        try scratch.rename("..data_tmp", "..data")
        #expect(watcher.seesChange())
        watcher.arm()
        try scratch.write("v1/Config.plist", items("old"))
        try scratch.write("Data.plist", items("other"))
        #expect(isQuiet(watcher))
        try scratch.write("v2/Config.plist", items("new"))
        #expect(watcher.seesChange())
    }

    @Test("sees a folder above the file renamed, and the one that takes its place")
    func folders() throws {
        try scratch.folder("live/a/b")
        try scratch.folder("next/a/b")
        try scratch.write("live/a/b/Data.plist", items("A"))
        try scratch.write("next/a/b/Data.plist", items("B"))
        let watcher = watcher("live/a/b/Data.plist")
        try scratch.write("live/a/Other.plist", items("x"))
        #expect(isQuiet(watcher))
        try scratch.rename("live", "old")
        #expect(watcher.seesChange())
        watcher.arm()
        try scratch.write("old/a/b/Data.plist", items("x"))
        #expect(isQuiet(watcher))
        try scratch.rename("next", "live")
        #expect(watcher.seesChange())
    }

    @Test("drops the events of its own save, and keeps the events of other changes on the way")
    func ownSave() throws {
        try scratch.folder("there")
        try scratch.rename("Data.plist", "there/Data.plist")
        try scratch.link("Data.plist", to: "there/Data.plist")
        let watcher = watcher()
        for round in 0..<3 {
            try scratch.write("there/aside", items("B\(round)"))
            try scratch.rename("there/aside", "there/Data.plist")
            watcher.settle(try #require(FileIdentity(path: scratch("Data.plist"))))
            #expect(isQuiet(watcher))
        }
        // The file that is there now is watched.
        try scratch.write("there/Data.plist", items("C"))
        #expect(watcher.seesChange())
        watcher.arm()
        // The link changes while the file is saved.
        try scratch.write("there/aside", items("D"))
        try scratch.rename("there/aside", "there/Data.plist")
        try scratch.remove("Data.plist")
        try scratch.link("Data.plist", to: "there/../there/Data.plist")
        watcher.settle(try #require(FileIdentity(path: scratch("Data.plist"))))
        #expect(watcher.seesChange())
    }

    @Test("drops the events of a save of its own for all paths to the file")
    func ownSaveOfTwo() throws {
        try scratch.link("Link.plist", to: "Data.plist")
        let files = WatchedFiles()
        let watchers = ["Data.plist", "Link.plist"].map {
            FileWatcher(path: scratch($0), every: .seconds(2), sharing: files)
        }
        for watcher in watchers { watcher.arm() }
        for round in 0..<3 {
            try scratch.write("aside", items("B\(round)"))
            try scratch.rename("aside", "Data.plist")
            FileWatcher.settle(watchers, saved: try #require(FileIdentity(path: scratch("Data.plist"))))
            for watcher in watchers { #expect(isQuiet(watcher)) }
        }
        // Both go on watching.
        try scratch.write("Data.plist", items("C"))
        for watcher in watchers { #expect(watcher.seesChange()) }
    }

    @Test("waits for a file whose folders do not exist yet")
    func notYet() throws {
        let watcher = watcher("a/b/Data.plist")
        try scratch.folder("a")
        #expect(watcher.seesChange())
        watcher.arm()
        try scratch.folder("a/b")
        #expect(watcher.seesChange())
        watcher.arm()
        try scratch.write("a/b/Data.plist", items("A"))
        #expect(watcher.seesChange())
    }

    @Test("sees a file written to under its other name")
    func hardLink() throws {
        try scratch.folder("elsewhere")
        try FileManager.default.linkItem(atPath: scratch("Data.plist"), toPath: scratch("elsewhere/Other.plist"))
        let watcher = watcher()
        let handle = try #require(FileHandle(forWritingAtPath: scratch("elsewhere/Other.plist")))
        try handle.close()
        #expect(watcher.seesChange())
    }

    @Test("sees the permissions of the file change, also of one that was renamed over it, and of no other")
    func permissions() throws {
        let watcher = watcher()
        try scratch.write("aside", items("B"))
        try scratch.permit(0o600, "aside")
        #expect(isQuiet(watcher))
        try scratch.rename("aside", "Data.plist")
        #expect(watcher.seesChange())
        watcher.arm()
        #expect(isQuiet(watcher))
        try scratch.permit(0o644, "Data.plist")
        #expect(watcher.seesChange())
    }

    @Test("is not woken by other files, or by reading")
    func quiet() throws {
        let watcher = watcher()
        try scratch.write("Other.plist", items("x"))
        try scratch.permit(0o600, "Other.plist")
        try scratch.remove("Other.plist")
        _ = try PropertyListFile(path: scratch("Data.plist")).load(replacing: nil)
        #expect(isQuiet(watcher))
    }

    @Test("takes it for a change when the kernel loses events")
    func overflow() throws {
        let watcher = watcher()
        try scratch.write("a", "x")
        let most = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let renames = try #require(Int(most.trimmingCharacters(in: .whitespacesAndNewlines))) / 2 + 1
        for number in 0..<renames {
            try number.isMultiple(of: 2) ? scratch.rename("a", "b") : scratch.rename("b", "a")
        }
        #expect(watcher.seesChange())
    }

    @Test("looks by itself where no event comes")
    func polling() throws {
        // A file that is still open for writing sends none.
        let watcher = watcher(pollInterval: .milliseconds(20))
        let handle = try #require(FileHandle(forWritingAtPath: scratch("Data.plist")))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(" ".utf8))
        #expect(watcher.seesChange())
        #expect(!watcher.seesChange(within: .milliseconds(50)))
        try handle.close()
    }
}
