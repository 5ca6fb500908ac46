import Foundation

/// The cache of a server's last known levels in a folder. An app can show these levels before the server answers.
///
/// Files are written and read on a queue, so that the disk does not block the threads of observers. If a level changes
/// several times within a second, only the first and the last state are written.
final class LevelCache: Sendable {
    private let folder: CacheFolder
    private let queue = DispatchQueue(label: "DrilldownClient.LevelCache", qos: .utility)
    private let state = Guarded(State())

    private struct State {
        /// The copies to write; a nil copy removes the file.
        var pending: [LevelTarget: LevelCopy?] = [:]
        /// Whether a check of `pending` is scheduled on the queue.
        var isScheduled = false
        /// The reason why the last attempt to write a copy failed; nil if the attempt succeeded.
        var problem: Problem?
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

    /// Returns the last known state of a level; nil if no state is known, or if the file of the level is damaged.
    func copy(of target: LevelTarget) async -> LevelCopy? {
        if let pending = state.withLock({ $0.pending[target] }) { return pending }
        return await withCheckedContinuation { continuation in
            queue.async { [folder] in continuation.resume(returning: folder.copy(of: target)) }
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

    /// Keeps a copy of a level. The copy is written to the folder within about a second. Nil removes the level from the
    /// folder.
    func keep(_ copy: LevelCopy?, of target: LevelTarget) {
        let mustSchedule = state.withLock { state in
            state.pending[target] = .some(copy)
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
        for (target, copy) in pending {
            let problem = failure { try folder.write(copy, of: target) }
            state.withLock { state in
                state.problem = problem
                // A newer copy that was added during the write stays pending.
                if state.pending[target]??.pages == copy?.pages { state.pending[target] = nil }
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
    /// Returns the problem of a level that cannot be written to the cache folder.
    static func unwritableCache(_ folder: URL, error: any Error) -> Problem {
        Problem(
            .unwritableCache, title: "Cache folder not writable",
            detail: "Levels cannot be written to '\(folder.path)': \(error.localizedDescription)")
    }
}
