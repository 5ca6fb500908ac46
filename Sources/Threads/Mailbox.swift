internal import Locking

/// A queue of items for one thread. Any number of threads add items, and the one thread takes them in order.
public final class Mailbox<Item: Sendable>: Sendable {
    /// The result of adding an item.
    public enum Admission: Sendable {
        case taken
        /// The limit of waiting items is reached.
        case full
        case closed
    }

    private struct Contents {
        var items: [Item] = []
        var isClosed = false
    }

    private let contents = Guarded(Contents())
    private let limit: Int
    private let onArrival: @Sendable () -> Void

    /// Creates an empty mailbox.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of waiting items.
    ///   - onArrival: wakes the thread that takes the items. It is called for each item on the thread that adds it, and
    ///     by `take` if items are left.
    public init(limit: Int = .max, onArrival: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onArrival = onArrival
    }

    /// Adds an item. Returns at once.
    @discardableResult
    public func add(_ item: Item) -> Admission {
        let admission: Admission = contents.withLock { contents in
            if contents.isClosed { return .closed }
            if contents.items.count >= limit { return .full }
            contents.items.append(item)
            return .taken
        }
        if admission == .taken { onArrival() }
        return admission
    }

    /// Takes all items so far.
    public func take() -> [Item] { take { $0.count } }

    /// Takes the first items. Calls `onArrival` if items are left.
    ///
    /// - Parameter count: receives all waiting items, and returns the number of items to take.
    public func take(_ count: ([Item]) -> Int) -> [Item] {
        let (taken, isMore) = contents.withLock { contents in
            let taken = Array(contents.items.prefix(count(contents.items)))
            contents.items.removeFirst(taken.count)
            return (taken, !contents.items.isEmpty)
        }
        if isMore { onArrival() }
        return taken
    }

    /// Takes the first item, if any.
    func takeFirst() -> Item? { contents.withLock { $0.items.isEmpty ? nil : $0.items.removeFirst() } }

    /// Admits no more items. Waiting items can still be taken.
    public func close() { contents.withLock { $0.isClosed = true } }

    public var isClosed: Bool { contents.withLock { $0.isClosed } }

    public var isEmpty: Bool { contents.withLock { $0.items.isEmpty } }
}

/// One value that a thread gives to another thread, which waits for it.
public final class Handover<Value: Sendable>: Sendable {
    private let value = Guarded<Value?>(nil)
    private let arrival = Semaphore()

    public init() {}

    /// Hands over the value. Does not wait for the other thread.
    public func give(_ given: Value) {
        value.withLock { $0 = given }
        arrival.signal()
    }

    /// Waits for the value. Call this only once.
    public func take() -> Value {
        while true {
            arrival.wait()
            if let taken = value.withLock({ $0 }) { return taken }
        }
    }
}
