import Foundation

/// The cache of the last known levels of a server in a folder, so that they can be shown before the server answers.
///
/// Files are written and read on a queue, so observers never wait for the disk. Of several states of a level within a
/// second, only the first and the last are written.
final class LevelCache: Sendable {
    private let folder: CacheFolder
    private let queue = DispatchQueue(label: "DrilldownClient.LevelCache", qos: .utility)
    private let state = Guarded(State())

    private struct State {
        /// The copies to write; a nil copy removes the file.
        var pending: [LevelTarget: LevelCopy?] = [:]
        /// Whether a check of `pending` is scheduled on the queue.
        var isScheduled = false
        /// The reason why the latest copy could not be written; nil if it was written.
        var problem: Problem?
    }

    private static let interval = DispatchTimeInterval.seconds(1)

    init(_ folder: CacheFolder) { self.folder = folder }

    /// Creates a cache in the folder of a configuration; nil without a folder.
    convenience init?(_ configuration: ServerConfiguration) {
        guard let folder = configuration.cacheFolder else { return nil }
        self.init(
            CacheFolder(
                url: folder, server: configuration.address, limit: configuration.maximumCacheBytes))
    }

    /// The reason why the latest copy could not be written; nil if it was written.
    var problem: Problem? { state.withLock(\.problem) }

    /// Returns the last known state of a level; nil if it is unknown, or if its file is damaged.
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

    /// Keeps a state of a level, which is written within about a second; nil removes the level.
    func keep(_ copy: LevelCopy?, of target: LevelTarget) {
        let mustSchedule = state.withLock { state in
            state.pending[target] = .some(copy)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.writeAndPause() } }
    }

    /// Writes the pending copies; if it has written any, checks again after the interval.
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
                // A newer state may have been added meanwhile.
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
