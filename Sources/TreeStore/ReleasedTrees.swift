import Levels
import Locking
internal import Threads

/// Collects trees that no reader holds any more, so that the store frees them and no reader pays for it.
final class ReleasedTrees: Sendable {
    private struct Contents {
        var trees: [Level] = []
        var isClosed = false
    }

    private let contents = Guarded(Contents())
    /// Wakes the store's thread.
    private let wakeup: Wakeup

    init(wakeup: Wakeup) { self.wakeup = wakeup }

    /// Takes over the tree of a snapshot that is being deallocated.
    func take(_ tree: Level) {
        let isTaken = contents.withLock { contents in
            if !contents.isClosed { contents.trees.append(tree) }
            return !contents.isClosed
        }
        if isTaken { wakeup.signal() }
    }

    /// Whether there are trees to free.
    var hasAny: Bool { contents.withLock { !$0.trees.isEmpty } }

    /// Frees the collected trees; returns whether there were any.
    func free() -> Bool {
        // They are freed when this returns, outside of the lock.
        let trees = contents.withLock { contents in
            defer { contents.trees = [] }
            return contents.trees
        }
        return !trees.isEmpty
    }

    /// Frees the collected trees and collects no more; trees that are released later are freed by their last reader.
    func close() {
        contents.withLock { $0.isClosed = true }
        _ = free()
    }
}
