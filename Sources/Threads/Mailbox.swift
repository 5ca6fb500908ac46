internal import Locking

/// Items that any threads leave for one thread, which takes them in their order.
public final class Mailbox<Item: Sendable>: Sendable {
    /// What became of an item.
    public enum Admission: Sendable {
        case taken
        /// Too many items wait.
        case full
        /// The mailbox was closed before.
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
    ///   - limit: how many items may wait.
    ///   - onArrival: called for each item, on the thread that adds it, to wake the one that takes it.
    public init(limit: Int = .max, onArrival: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.onArrival = onArrival
    }

    /// Adds an item; returns at once.
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

    /// Takes the first items; calls `onArrival` if others are left.
    ///
    /// - Parameter count: how many of the items that wait are taken.
    public func take(_ count: ([Item]) -> Int) -> [Item] {
        let (taken, isMore) = contents.withLock { contents in
            let taken = Array(contents.items.prefix(count(contents.items)))
            contents.items.removeFirst(taken.count)
            return (taken, !contents.items.isEmpty)
        }
        if isMore { onArrival() }
        return taken
    }

    /// Takes the first item; nil if there is none.
    func takeFirst() -> Item? { contents.withLock { $0.items.isEmpty ? nil : $0.items.removeFirst() } }

    /// Lets no more items in; those that wait can still be taken.
    public func close() { contents.withLock { $0.isClosed = true } }

    public var isClosed: Bool { contents.withLock { $0.isClosed } }

    public var isEmpty: Bool { contents.withLock { $0.items.isEmpty } }
}

/// One value that a thread gives to another, which waits for it.
public final class Handover<Value: Sendable>: Sendable {
    private let value = Guarded<Value?>(nil)
    private let arrival = Semaphore()

    public init() {}

    /// Hands over the value; does not wait for the other thread.
    public func give(_ given: Value) {
        value.withLock { $0 = given }
        arrival.signal()
    }

    /// Waits for the value; for one thread, once.
    public func take() -> Value {
        while true {
            arrival.wait()
            if let taken = value.withLock({ $0 }) { return taken }
        }
    }
}
