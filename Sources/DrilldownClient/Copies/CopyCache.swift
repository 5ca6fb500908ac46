import Foundation

/// The cache of a server's last known levels and details in a folder. An app can show them before the server answers.
///
/// Files are written and read on a queue, so that the disk does not block the threads of observers. If a level changes
/// several times within a second, only the first and the last state are written.
final class CopyCache: Sendable {
    private let folder: CacheFolder
    private let queue = DispatchQueue(label: "DrilldownClient.CopyCache", qos: .utility)
    private let state = Guarded(State())

    private struct State {
        /// The copies to write, by their links.
        var pending: [String: Pending] = [:]
        /// The number of the latest copy.
        var kept = 0
        /// Whether a check of `pending` is scheduled on the queue.
        var isScheduled = false
        /// The reason why the last attempt to write a copy failed; nil if the attempt succeeded.
        var problem: Problem?
    }

    private struct Pending {
        let number: Int
        let kind: String
        /// The copy; nil to remove the file.
        let copy: (any CachedCopy)?
    }

    private static let interval = DispatchTimeInterval.seconds(1)

    init(_ folder: CacheFolder) { self.folder = folder }

    /// Creates a cache in the cache folder of a configuration. Returns nil if the configuration lacks a cache folder.
    convenience init?(_ configuration: ServerConfiguration) {
        guard let folder = configuration.cacheFolder else { return nil }
        self.init(
            CacheFolder(
                url: folder, server: configuration.address, limit: configuration.maximumCacheBytes))
    }

    /// The reason why the last attempt to write a copy failed; nil if the attempt succeeded.
    var problem: Problem? { state.withLock(\.problem) }

    /// Returns the last known state of a level or a detail; nil if no state is known, or if its file is damaged.
    func copy<Copy: CachedCopy>(of link: String) async -> Copy? {
        if let pending = state.withLock({ $0.pending[link] }) { return pending.copy as? Copy }
        return await read { $0.copy(of: link) }
    }

    /// Returns what the known states of the level above show of an item; nil if they do not show the item.
    func detail(at path: ItemPath) async -> DetailCopy? {
        await flush()
        return await read { $0.detail(at: path) }
    }

    private func read<Copy: Sendable>(_ body: @escaping @Sendable (CacheFolder) -> Copy?) async -> Copy? {
        await withCheckedContinuation { continuation in
            queue.async { [folder] in continuation.resume(returning: body(folder)) }
        }
    }

    /// Writes all pending copies, and waits until they are written.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.write()
                continuation.resume()
            }
        }
    }

    /// Keeps a copy of a level or a detail. The copy is written to the folder within about a second. Nil removes the
    /// copy from the folder.
    func keep<Copy: CachedCopy>(_ copy: Copy?, of link: String) {
        let mustSchedule = state.withLock { state in
            state.kept += 1
            state.pending[link] = Pending(number: state.kept, kind: Copy.kind, copy: copy)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.writeAndPause() } }
    }

    /// Writes the pending copies. If a copy was written or is still pending, this method runs again after the interval.
    private func writeAndPause() {
        let hasWritten = write()
        let goesOn = state.withLock { state in
            state.isScheduled = hasWritten || !state.pending.isEmpty
            return state.isScheduled
        }
        if goesOn { queue.asyncAfter(deadline: .now() + Self.interval) { self.writeAndPause() } }
    }

    /// Writes the pending copies; returns false if no copy is pending.
    @discardableResult
    private func write() -> Bool {
        let pending = state.withLock(\.pending)
        guard !pending.isEmpty else { return false }
        for (link, kept) in pending {
            let problem = failure { try folder.write(kept.copy, kind: kept.kind, of: link) }
            state.withLock { state in
                state.problem = problem
                // A newer copy that was added during the write stays pending.
                if state.pending[link]?.number == kept.number { state.pending[link] = nil }
            }
        }
        folder.shrink()
        return true
    }

    private func failure(of write: () throws -> Void) -> Problem? {
        do {
            try write()
            return nil
        } catch {
            return .unwritableCache(folder.url, error: error)
        }
    }
}

extension Problem {
    /// Returns the problem of a copy that cannot be written to the cache folder.
    static func unwritableCache(_ folder: URL, error: any Error) -> Problem {
        Problem(
            .unwritableCache, title: "Cache folder not writable",
            detail: "Copies cannot be written to '\(folder.path)': \(error.localizedDescription)")
    }
}
