import Foundation

/// Keeps the last known levels of a server in a folder, so that they can be shown before the server answers.
///
/// Files are written and read on a queue of their own, so observers never wait for the disk. Of the states of a level
/// within a second only the first and the last are written.
final class LevelCache: Sendable {
    private let folder: CacheFolder
    private let queue = DispatchQueue(label: "DrilldownClient.LevelCache", qos: .utility)
    private let state = Guarded(State())

    private struct State {
        /// The copies to write; nil for a file to remove.
        var pending: [LevelTarget: LevelCopy?] = [:]
        /// Whether the queue will check `pending`.
        var isScheduled = false
        /// Why the latest copy could not be written.
        var problem: Problem?
    }

    private static let interval = DispatchTimeInterval.seconds(1)

    init(_ folder: CacheFolder) { self.folder = folder }

    /// A cache in the folder of a configuration; nil without a folder.
    convenience init?(_ configuration: ServerConfiguration) {
        guard let folder = configuration.cacheFolder else { return nil }
        self.init(
            CacheFolder(
                url: folder, server: configuration.address, limit: configuration.maximumCacheBytes))
    }

    /// Why the latest copy could not be written; nil if it was written.
    var problem: Problem? { state.withLock(\.problem) }

    /// The last known state of a level; nil if it is unknown, or if its file is damaged.
    func copy(of target: LevelTarget) async -> LevelCopy? {
        if let pending = state.withLock({ $0.pending[target] }) { return pending }
        return await withCheckedContinuation { continuation in
            queue.async { [folder] in continuation.resume(returning: folder.copy(of: target)) }
        }
    }

    /// Waits until everything is written.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.write()
                continuation.resume()
            }
        }
    }

    /// Keeps a state of a level, which is written soon; nil forgets the level.
    func keep(_ copy: LevelCopy?, of target: LevelTarget) {
        let mustSchedule = state.withLock { state in
            state.pending[target] = .some(copy)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.async { self.writeAndPause() } }
    }

    /// Writes the pending copies, and checks again after the interval if there were any.
    private func writeAndPause() {
        let hasWritten = write()
        let goesOn = state.withLock { state in
            state.isScheduled = hasWritten || !state.pending.isEmpty
            return state.isScheduled
        }
        if goesOn { queue.asyncAfter(deadline: .now() + Self.interval) { self.writeAndPause() } }
    }

    /// Writes the pending copies; false if there are none.
    @discardableResult
    private func write() -> Bool {
        let pending = state.withLock(\.pending)
        guard !pending.isEmpty else { return false }
        for (target, copy) in pending {
            let problem = failure { try folder.write(copy, of: target) }
            state.withLock { state in
                state.problem = problem
                // A newer state may have come meanwhile.
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
    /// Levels cannot be kept.
    static func unwritableCache(_ folder: URL, error: any Error) -> Problem {
        Problem(
            .unwritableCache, title: "Cache folder not writable",
            detail: "No level can be kept in '\(folder.path)': \(error.localizedDescription)")
    }
}
