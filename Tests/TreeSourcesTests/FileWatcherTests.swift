import Files
import Foundation
import Testing
import Threads

@testable import TestSupport
@testable import TreeSources

@Suite("A file watcher")
struct FileWatcherTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.write("Data.plist", items("A"))
    }

    /// A watcher that by default has only its events.
    private struct Watched {
        let files: WatchedFiles
        let watcher: FileWatcher

        /// Whether the watcher reports nothing; the kernel queues an event before the call that causes it returns.
        var isQuiet: Bool { files.takeChanged(at: .now).isEmpty }

        func seesChange(within time: Duration = .seconds(120)) -> Bool { files.seeChange(of: watcher, within: time) }
    }

    private func watched(_ name: String = "Data.plist", pollInterval: Duration = .seconds(3_600)) -> Watched {
        let files = WatchedFiles(every: pollInterval)
        return Watched(files: files, watcher: FileWatcher(path: scratch(name), sharing: files))
    }

    @Test("waits after each check until the next is due")
    func idle() throws {
        let files = watched(pollInterval: .milliseconds(50)).files
        var due: [ContinuousClock.Instant] = []
        for _ in 0..<5 {
            var waits = WaitSet()
            files.addWaits(to: &waits)
            let next = try #require(waits.deadline)
            due.append(next)
            #expect(files.takeChanged(at: next).isEmpty)
        }
        #expect(zip(due, due.dropFirst()).map { $1 - $0 } == Array(repeating: .milliseconds(50), count: 4))
    }

    @Test("sees a file written in place")
    func inPlace() throws {
        let file = watched()
        let handle = try #require(FileHandle(forWritingAtPath: scratch("Data.plist")))
        try handle.write(contentsOf: Data("x".utf8))
        #expect(file.isQuiet)
        try handle.close()
        #expect(file.seesChange())
    }

    @Test("sees a file renamed over it")
    func renamed() throws {
        let file = watched()
        try scratch.write("aside", items("B"))
        #expect(file.isQuiet)
        try scratch.rename("aside", "Data.plist")
        #expect(file.seesChange())
    }

    @Test("sees each of the renames of vim, and the file that comes between them")
    func vim() throws {
        let file = watched()
        try scratch.rename("Data.plist", "Data.plist~")
        #expect(file.seesChange())
        try scratch.write("Data.plist", items("B"))
        #expect(file.seesChange())
        try scratch.remove("Data.plist~")
        #expect(file.isQuiet)
    }

    @Test("sees a file deleted and made anew")
    func deleted() throws {
        let file = watched()
        try scratch.remove("Data.plist")
        #expect(file.seesChange())
        try scratch.write("Data.plist", items("B"))
        #expect(file.seesChange())
    }

    @Test("sees the link swapped that a deployment of Kubernetes swaps")
    func kubernetes() throws {
        for version in ["v1", "v2"] {
            try scratch.folder(version)
            try scratch.write("\(version)/Config.plist", items(version))
        }
        try scratch.link("..data", to: "v1")
        try scratch.link("Config.plist", to: "..data/Config.plist")
        let file = watched("Config.plist")
        try scratch.link("..data_tmp", to: "v2")
        #expect(file.isQuiet)
        try scratch.rename("..data_tmp", "..data")
        #expect(file.seesChange())
        try scratch.write("v1/Config.plist", items("old"))
        try scratch.write("Data.plist", items("other"))
        #expect(file.isQuiet)
        try scratch.write("v2/Config.plist", items("new"))
        #expect(file.seesChange())
    }

    @Test("sees a folder above the file renamed, and the one that takes its place")
    func folders() throws {
        try scratch.folder("live/a/b")
        try scratch.folder("next/a/b")
        try scratch.write("live/a/b/Data.plist", items("A"))
        try scratch.write("next/a/b/Data.plist", items("B"))
        let file = watched("live/a/b/Data.plist")
        try scratch.write("live/a/Other.plist", items("x"))
        #expect(file.isQuiet)
        try scratch.rename("live", "old")
        #expect(file.seesChange())
        try scratch.write("old/a/b/Data.plist", items("x"))
        #expect(file.isQuiet)
        try scratch.rename("next", "live")
        #expect(file.seesChange())
    }

    @Test("does not report its own save, and follows the new file")
    func ownSave() throws {
        try scratch.folder("there")
        try scratch.rename("Data.plist", "there/Data.plist")
        try scratch.link("Data.plist", to: "there/Data.plist")
        let file = watched()
        for round in 0..<3 {
            try scratch.write("there/aside", items("B\(round)"))
            try scratch.rename("there/aside", "there/Data.plist")
            file.watcher.settle(try #require(FileIdentity(path: scratch("Data.plist"))))
            #expect(file.isQuiet)
        }
        // The link leads another way to the same file.
        try scratch.write("there/aside", items("D"))
        try scratch.rename("there/aside", "there/Data.plist")
        try scratch.remove("Data.plist")
        try scratch.link("Data.plist", to: "there/../there/Data.plist")
        file.watcher.settle(try #require(FileIdentity(path: scratch("Data.plist"))))
        #expect(file.isQuiet)
        try scratch.write("there/Data.plist", items("C"))
        #expect(file.seesChange())
    }

    @Test("reports another program's save that follows its own at once", arguments: [true, false])
    func saveAfterOwn(isSettled: Bool) throws {
        let file = watched()
        try scratch.write("aside", items("B"))
        try scratch.rename("aside", "Data.plist")
        let saved = try #require(FileIdentity(path: scratch("Data.plist")))
        if isSettled { file.watcher.settle(saved) }
        // The size is the same, and the time too if the clock of the file system is coarse.
        try scratch.write("Data.plist", items(isSettled ? "C" : "CD"))
        if !isSettled { file.watcher.settle(saved) }
        #expect(file.seesChange())
    }

    @Test("does not report its own save through any of two paths to the file")
    func ownSaveOfTwo() throws {
        try scratch.link("Link.plist", to: "Data.plist")
        let files = WatchedFiles(every: .seconds(3_600))
        let watchers = ["Data.plist", "Link.plist"].map { FileWatcher(path: scratch($0), sharing: files) }
        for round in 0..<3 {
            try scratch.write("aside", items("B\(round)"))
            try scratch.rename("aside", "Data.plist")
            let saved = try #require(FileIdentity(path: scratch("Data.plist")))
            for watcher in watchers { watcher.settle(saved) }
            #expect(files.takeChanged(at: .now).isEmpty)
        }
        // Both go on watching.
        try scratch.write("Data.plist", items("C"))
        #expect(files.takeChanged(at: .now).count == 2)
    }

    @Test("waits for a file whose folders do not exist yet")
    func notYet() throws {
        let file = watched("a/b/Data.plist")
        try scratch.folder("a")
        #expect(file.seesChange())
        try scratch.folder("a/b")
        #expect(file.seesChange())
        try scratch.write("a/b/Data.plist", items("A"))
        #expect(file.seesChange())
    }

    @Test("sees a file written to under its other name")
    func hardLink() throws {
        try scratch.folder("elsewhere")
        try FileManager.default.linkItem(atPath: scratch("Data.plist"), toPath: scratch("elsewhere/Other.plist"))
        let file = watched()
        let handle = try #require(FileHandle(forWritingAtPath: scratch("elsewhere/Other.plist")))
        try handle.close()
        #expect(file.seesChange())
    }

    @Test("sees the permissions of the file change, also of one that was renamed over it, and of no other")
    func permissions() throws {
        let file = watched()
        try scratch.write("aside", items("B"))
        try scratch.permit(0o600, "aside")
        #expect(file.isQuiet)
        try scratch.rename("aside", "Data.plist")
        #expect(file.seesChange())
        #expect(file.isQuiet)
        try scratch.permit(0o644, "Data.plist")
        #expect(file.seesChange())
    }

    @Test("takes an event without a change for a change while time stamps may be the same", arguments: [true, false])
    func sameFile(isCoarse: Bool) throws {
        let files = WatchedFiles(every: .seconds(3_600), timeStampStep: isCoarse ? .seconds(3_600) : .zero)
        let watcher = FileWatcher(path: scratch("Data.plist"), sharing: files)
        let handle = try #require(FileHandle(forWritingAtPath: scratch("Data.plist")))
        try handle.close()
        #expect(files.takeChanged(at: .now).contains { $0 === watcher } == isCoarse)
        try scratch.write("Data.plist", items("AB"))
        #expect(files.takeChanged(at: .now).contains { $0 === watcher })
    }

    @Test("is not woken by other files, or by reading")
    func quiet() throws {
        let file = watched()
        try scratch.write("Other.plist", items("x"))
        try scratch.permit(0o600, "Other.plist")
        try scratch.remove("Other.plist")
        _ = try PropertyListFile(path: scratch("Data.plist")).load(replacing: nil)
        #expect(file.isQuiet)
    }

    @Test("takes it for a change when the kernel loses events")
    func overflow() throws {
        let file = watched()
        try scratch.write("a", "x")
        let most = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let renames = try #require(Int(most.trimmingCharacters(in: .whitespacesAndNewlines))) / 2 + 1
        for number in 0..<renames {
            try number.isMultiple(of: 2) ? scratch.rename("a", "b") : scratch.rename("b", "a")
        }
        #expect(file.seesChange())
    }

    @Test("looks by itself where no event comes")
    func polling() throws {
        // A file that is still open for writing sends none.
        let file = watched(pollInterval: .milliseconds(20))
        let handle = try #require(FileHandle(forWritingAtPath: scratch("Data.plist")))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(" ".utf8))
        #expect(file.seesChange())
        #expect(!file.seesChange(within: .milliseconds(50)))
        try handle.close()
    }
}
