import Levels
import Locking
internal import TreeSources

/// Trees whose last reader has let go of them, until the store's thread frees them: so no reader pays for that.
final class ReleasedTrees: Sendable {
    private struct Heap {
        var trees: [Level] = []
        var isClosed = false
    }

    private let heap = Guarded(Heap())
    /// Wakes the store's thread.
    private let waker: Waker

    init(waker: Waker) { self.waker = waker }

    /// Takes a tree over from a snapshot that goes.
    func take(_ tree: Level) {
        let isTaken = heap.withLock { heap in
            if !heap.isClosed { heap.trees.append(tree) }
            return !heap.isClosed
        }
        if isTaken { waker.wake() }
    }

    /// Frees what there is; true if there was something.
    func free() -> Bool {
        let trees = heap.withLock { heap in
            defer { heap.trees = [] }
            return heap.trees
        }
        return !trees.isEmpty
    }

    /// Takes nothing more, since the store's thread ends; what comes later is freed where it is released.
    func close() {
        heap.withLock { $0.isClosed = true }
        _ = free()
    }
}
