import Dispatch
import Levels
import Locking
import Threads
import TreeSources

/// A file as a source whose loads are noticed, and whose saves are counted, and can be held up, or made to fail.
final class EditableSource: TreeSource {
    private let file: PropertyListFile
    /// Called at the beginning of each save with its number, from 1; it fails with what this throws.
    private let onSave: @Sendable (Int) throws(SaveError) -> Void
    /// Called if requests are answered without a save; fails with what this throws.
    private let onConfirm: @Sendable () throws(SaveError) -> Void
    /// Called for the work that a save leaves.
    private let onFinish: @Sendable () -> Void
    /// Called on the thread that loads.
    private let onLoad: @Sendable () -> Void
    private let count = Guarded(0)

    init(
        _ path: String, onSave: @escaping @Sendable (Int) throws(SaveError) -> Void = { _ in },
        onConfirm: @escaping @Sendable () throws(SaveError) -> Void = {},
        onFinish: @escaping @Sendable () -> Void = {}, onLoad: @escaping @Sendable () -> Void = {}
    ) {
        file = PropertyListFile(path: path, pollInterval: .seconds(3_600))
        self.onLoad = onLoad
        self.onSave = onSave
        self.onConfirm = onConfirm
        self.onFinish = onFinish
    }

    /// A file whose first save signals that it has begun, and waits.
    convenience init(_ path: String, signalling begun: DispatchSemaphore, until goOn: DispatchSemaphore) {
        self.init(path) { number throws(SaveError) in
            guard number == 1 else { return }
            begun.signal()
            goOn.wait()
        }
    }

    /// The number of saves that were begun.
    var saves: Int { count.withLock { $0 } }

    fileprivate func beginSave() throws(SaveError) {
        let number = count.withLock { count in
            count += 1
            return count
        }
        try onSave(number)
    }

    var name: String { file.name }
    var retryInterval: Duration? { file.retryInterval }
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree { try file.load(replacing: old) }

    func makeWatcher() -> any SourceWatcher { Watcher(self, file.makeWatcher()) }

    private final class Watcher: SourceWatcher {
        private let source: EditableSource
        private let watcher: any SourceWatcher

        init(_ source: EditableSource, _ watcher: any SourceWatcher) {
            self.source = source
            self.watcher = watcher
        }

        func refresh() -> Bool { watcher.refresh() }

        func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
            source.onLoad()
            return try watcher.load(replacing: old)
        }

        var fingerprint: Fingerprint? { watcher.fingerprint }
        func savability(at path: ItemPath) -> Savability { watcher.savability(at: path) }
        var isBeingWritten: Bool { watcher.isBeingWritten }
        func beginEdits() throws(EditRefusal) -> any EditGroup { Group(source, try watcher.beginEdits()) }
        func addWaits(to waits: inout WaitSet) { watcher.addWaits(to: &waits) }
        func advance(at now: ContinuousClock.Instant) -> SourceReport? { watcher.advance(at: now) }
    }

    private final class Group: EditGroup {
        private let source: EditableSource
        private let group: any EditGroup

        init(_ source: EditableSource, _ group: any EditGroup) {
            self.source = source
            self.group = group
        }

        func apply(_ batch: EditBatch, by author: String?) throws(EditRefusal) -> EditedTree? {
            try group.apply(batch, by: author)
        }

        func replaceDocument(with bytes: [UInt8], by author: String?) throws(EditRefusal) -> EditedTree {
            try group.replaceDocument(with: bytes, by: author)
        }

        func save() throws(SaveError) -> Fingerprint? {
            try source.beginSave()
            return try group.save()
        }

        func confirm() throws(SaveError) { try source.onConfirm() }

        func finish() {
            source.onFinish()
            group.finish()
        }
    }
}
