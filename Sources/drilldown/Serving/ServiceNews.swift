import Locking
import Threads
import TreeStore

/// What other threads tell the main thread.
final class ServiceNews: Sendable {
    enum Item: Sendable {
        /// The first load has ended.
        case firstLoad(Result<TreeStore, any Error>)
        /// A reload that a signal asked for has ended.
        case reloaded
        /// What is served, or its state, has changed.
        case changed
    }

    private let items = Guarded<[Item]>([])
    private let wakeup: Wakeup

    /// - Throws: `SystemCallError` if the system has no descriptor left.
    init() throws(SystemCallError) { wakeup = try Wakeup() }

    /// Readable while there are items.
    var descriptor: Int32 { wakeup.descriptor }

    func post(_ item: Item) {
        items.withLock { items in
            // Many edits are one change.
            if case .changed = item, case .changed? = items.last { return }
            items.append(item)
        }
        wakeup.signal()
    }

    func take() -> [Item] {
        _ = wakeup.reset()
        return items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
