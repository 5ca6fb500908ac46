import Foundation
import Levels
import Threads

@testable import TestSupport
@testable import TreeSources

/// A document that names other files of its folder by the titles of its first level, and whose rows are theirs.
final class ComposedSource: TreeSource {
    private let folder: ScratchFolder

    init(_ folder: ScratchFolder) { self.folder = folder }

    var name: String { folder("Main") }
    var retryInterval: Duration? { nil }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        try watcher(sharing: WatchedFiles()).load(replacing: old)
    }

    func watcher(sharing files: WatchedFiles) -> any SourceWatcher { Watcher(folder, files) }

    private final class Watcher: SourceWatcher {
        private let folder: ScratchFolder
        private let files: WatchedFiles
        private var parts = WatcherGroup<String>()

        init(_ folder: ScratchFolder, _ files: WatchedFiles) {
            self.folder = folder
            self.files = files
            watch("Main")
        }

        private func watch(_ name: String) {
            guard parts[name] == nil else { return }
            let file = PropertyListFile(path: folder(name), pollInterval: .seconds(3_600))
            parts[name] = file.watcher(sharing: files)
            parts[name]?.arm()
        }

        func arm() { for part in parts.parts { parts[part]?.arm() } }

        func refresh() -> Bool {
            arm()
            return true
        }

        func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
            let named = try titles(of: "Main")
            for part in parts.parts where part != "Main" && !named.contains(part) { parts[part] = nil }
            for name in named { watch(name) }
            // Taken before the parts are read, so that a change in between makes a difference.
            let fingerprint = parts.fingerprint ?? .missing
            var rows: [String] = []
            for name in named { rows += try titles(of: name) }
            let loaded = try load(rows, replacing: old)
            return LoadedTree(
                tree: loaded.tree, fingerprint: fingerprint, syntax: loaded.syntax, warnings: [], omittedWarnings: 0)
        }

        private func titles(of name: String) throws(SourceError) -> [String] {
            guard let level = try parts[name]?.load(replacing: nil).tree.document.child(0) else { return [] }
            return (0..<level.count).map(level.title)
        }

        /// Makes a tree by means of a file that is not watched.
        private func load(_ rows: [String], replacing old: Level?) throws(SourceError) -> LoadedTree {
            do {
                try folder.write("Composed.json", String(decoding: JSONEncoder().encode(rows), as: UTF8.self))
            } catch {
                throw SourceError(folder("Composed.json"), "\(error)")
            }
            return try PropertyListFile(path: folder("Composed.json")).load(replacing: old)
        }

        var fingerprint: Fingerprint? { parts.fingerprint }

        func savability(at path: ItemPath) -> Savability { .nothing(.anyShape) }

        func addWaits(to waits: inout WaitSet) { parts.addWaits(to: &waits) }

        func advance(at now: ContinuousClock.Instant) -> SourceReport? {
            parts.advance(at: now).isEmpty ? nil : .changed
        }
    }
}
