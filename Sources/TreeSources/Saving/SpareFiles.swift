internal import Glibc
internal import Locking

/// The files that edited documents were before their latest saves, kept under their hidden names to be written again.
///
/// A save that finds one needs no new file: the disk has less to write. They are kept only while a document is saved many
/// times in close succession, and removed soon after.
public final class SpareFiles: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Succession {
        var lastSave: Instant
        /// How many saves began soon after the one before.
        var length = 0
        /// The file as it was left; nil if there is none.
        var spare: FileIdentity?
    }

    private let successions = Guarded<[String: Succession]>([:])
    private let leastSaves: Int

    /// How soon after a save the next one must begin to be in succession with it, and how long a file is kept.
    private static let pause = Duration.milliseconds(10)
    /// Larger files are not kept.
    static let mostBytes = 256 << 10

    /// Creates an empty set.
    public convenience init() { self.init(leastSaves: 256) }

    /// - Parameter leastSaves: how many saves in succession there must have been before a file is kept.
    init(leastSaves: Int) { self.leastSaves = leastSaves }

    /// Begins a save through a name; returns the spare file that is there, and takes it out of the set.
    func beginSave(through name: String, at now: Instant = .now) -> FileIdentity? {
        successions.withLock { successions in
            guard var succession = successions[name] else { return nil }
            succession.length = now - succession.lastSave < Self.pause ? succession.length + 1 : 0
            defer { successions[name] = succession }
            return succession.spare.take()
        }
    }

    /// Ends a save; keeps the file that the document was before if there were enough saves in succession.
    ///
    /// - Parameter spare: its state under the name.
    /// - Returns: whether it is kept.
    func endSave(through name: String, leaving spare: FileIdentity, at now: Instant = .now) -> Bool {
        successions.withLock { successions in
            var succession = successions[name] ?? Succession(lastSave: now)
            succession.lastSave = now
            if succession.length >= leastSaves, spare.size <= Self.mostBytes { succession.spare = spare }
            successions[name] = succession
            return succession.spare != nil
        }
    }

    /// When the next file is to be removed; nil if there is none.
    var nextRemoval: Instant? {
        successions.withLock { $0.values.compactMap { $0.spare == nil ? nil : $0.lastSave + Self.pause }.min() }
    }

    /// Removes the files of documents that are not being saved any more.
    func removeIdle(at now: Instant) { remove { now - $0.lastSave >= Self.pause } }

    /// Removes all files; a save that comes later may leave one again.
    public func removeAll() { remove { _ in true } }

    private func remove(where isOver: (Succession) -> Bool) {
        // Under the lock, so that no save takes a file that is being removed.
        successions.withLock { successions in
            for (name, succession) in successions where isOver(succession) {
                if let spare = succession.spare, FileIdentity(named: name) == spare { _ = unsafe unlink(name) }
                successions[name] = nil
            }
        }
    }
}
