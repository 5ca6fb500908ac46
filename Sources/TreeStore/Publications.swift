public import Levels
internal import Locking

/// The owner of everything published: the current snapshot, the replaced snapshots, and the subscribers to changes.
///
/// `publish` makes a snapshot visible immediately. `notify` calls the subscribers later, in order, on the thread that
/// calls `notify`.
public final class Publications: Sendable {
    /// Called with the snapshot that was replaced and the publication that replaced it.
    public typealias Subscriber = @Sendable (_ old: Snapshot, _ new: Publication) -> Void

    /// The current publication. Its lock is separate from the lock of `book`, because every request takes this lock.
    private let latest: Guarded<Publication>
    private let book: Guarded<Book>
    /// The budget of the history in bytes; 0 keeps no replaced snapshots.
    public let historyBytes: Int
    private let onPublish: @Sendable () -> Void
    /// Whether the publisher calls `endTurn` after publications that belong together.
    private let hasTurns: Bool

    private struct Book {
        var kept: KeptSnapshots
        /// The bytes of the budget that are in use for something other than snapshots.
        var reserved = 0
        /// Publications that the subscribers have not received, oldest first.
        var pending: [(old: Snapshot, new: Publication)] = []
        /// Whether the current turn has published something.
        var isInTurn = false
        /// Actions for the end of the turn.
        var atEnd: [@Sendable () -> Void] = []
        /// The subscribers, each with the number of the first publication that it receives.
        var subscribers: [(first: Int, tell: Subscriber)] = []
    }

    /// Creates the owner of publications, and makes the first snapshot current.
    ///
    /// - Parameters:
    ///   - first: the first snapshot.
    ///   - historyBytes: the memory for replaced snapshots and for records of changes.
    ///   - hasTurns: whether the publisher calls `endTurn` after one or more publications.
    ///   - onPublish: called on the publisher's thread when `notify` may have work to do: after each publication, or at
    ///     the end of a turn.
    public init(
        first: Snapshot, historyBytes: Int = 64 << 20, hasTurns: Bool = false,
        onPublish: @escaping @Sendable () -> Void = {}
    ) {
        let publication = Publication(snapshot: first, number: first.revisions(before: nil).count)
        latest = Guarded(publication)
        book = Guarded(Book(kept: KeptSnapshots(publication)))
        self.historyBytes = historyBytes
        self.hasTurns = hasTurns
        self.onPublish = onPublish
    }

    /// The current publication; cheap enough for every request, on any thread.
    public var current: Publication { latest.withLock { $0 } }

    /// Makes a snapshot current, unless it already is. Requests in progress continue with the snapshot that they hold.
    ///
    /// Called by one thread at a time. When this method returns, every thread sees the snapshot; subscribers may
    /// receive it later. The time is linear in the number of levels that differ and of their rows.
    ///
    /// - Returns: the current publication.
    @discardableResult
    public func publish(_ snapshot: Snapshot) -> Publication {
        let old = current
        guard old.snapshot !== snapshot else { return old }
        let missed = snapshot.revisions(before: old.snapshot).count
        let new = Publication(snapshot: snapshot, number: old.number + missed + 1)
        book.withLock { book in
            // The record is added before the new snapshot is visible. So the new revision and the old snapshot can
            // always be found.
            book.kept.add(old, replacedBy: new, isKept: historyBytes > 0)
            if !book.subscribers.isEmpty { book.pending.append((old.snapshot, new)) }
            latest.withLock { $0 = new }
            book.isInTurn = hasTurns
        }
        if !hasTurns { onPublish() }
        let cost = RetainedBytes.of(old.snapshot, beside: snapshot, atMost: historyBytes)
        shrink { kept in kept.setCost(of: old.number, to: cost) }
        return new
    }

    /// Runs an action at the end of the turn if something was published in the turn, otherwise immediately.
    public func atEndOfTurn(_ action: @escaping @Sendable () -> Void) {
        let isInTurn = book.withLock { book in
            if book.isInTurn { book.atEnd.append(action) }
            return book.isInTurn
        }
        if !isInTurn { action() }
    }

    /// Ends the publisher's turn, on the publisher's thread. Runs the actions for the end of the turn, and then calls
    /// `onPublish` if the turn published anything.
    func endTurn() {
        let (isTurn, actions) = book.withLock { book in
            defer { (book.isInTurn, book.atEnd) = (false, []) }
            return (book.isInTurn, book.atEnd)
        }
        for action in actions { action() }
        if isTurn { onPublish() }
    }

    // MARK: History

    /// The number of the publication with a revision; nil if the revision is unknown or forgotten.
    ///
    /// A revision from the source's log has a number, too, even if it was not published here.
    public func number(of revision: String) -> Int? { book.withLock { $0.kept.number(of: revision) } }

    /// The snapshot of a replaced publication; nil if the snapshot is not kept.
    public func snapshot(_ number: Int) -> Snapshot? { book.withLock { $0.kept.snapshot(number) } }

    /// The replaced snapshots that are kept, newest first.
    public var replaced: [Snapshot] { book.withLock { $0.kept.snapshots } }

    /// Sets the number of bytes of the history's budget that are in use for something other than snapshots.
    public func reserve(_ bytes: Int) { shrink(reserving: bytes) }

    private func shrink(reserving bytes: Int? = nil, after change: (inout KeptSnapshots) -> Void = { _ in }) {
        let dropped = book.withLock { book in
            change(&book.kept)
            book.reserved = bytes ?? book.reserved
            return book.kept.shrink(to: historyBytes - book.reserved)
        }
        // The dropped snapshots are released here, without the lock.
        _ = consume dropped
    }

    // MARK: Notification

    /// Calls a subscriber for all later publications, each once and in order.
    ///
    /// - Returns: the current publication. The subscriber receives the publications after it.
    @discardableResult
    public func subscribe(_ subscriber: @escaping Subscriber) -> Publication {
        book.withLock { book in
            let now = current
            book.subscribers.append((now.number + 1, subscriber))
            return now
        }
    }

    /// Calls the subscribers for the publications that they have not received. Call this on one thread at a time.
    public func notify() {
        while let (old, new, subscribers) = nextNotification() {
            for subscriber in subscribers { subscriber(old, new) }
        }
    }

    private func nextNotification() -> (old: Snapshot, new: Publication, subscribers: [Subscriber])? {
        book.withLock { book in
            guard !book.pending.isEmpty else { return nil }
            let (old, new) = book.pending.removeFirst()
            return (old, new, book.subscribers.filter { $0.first <= new.number }.map(\.tell))
        }
    }

    /// The number of publications that the subscribers have not received.
    var pendingCount: Int { book.withLock { $0.pending.count } }
}

/// A snapshot with its place in the order of publications. Each response is made from exactly one publication.
public struct Publication: Sendable {
    public let snapshot: Snapshot
    /// The number of earlier publications, including revisions from the source's log that were not published here.
    public let number: Int
}

/// Names the states that a process publishes: a random prefix and a counter.
struct RevisionCounter {
    private let prefix: String
    private var number = 0

    init() {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        prefix = String((0..<6).compactMap { _ in letters.randomElement() })
    }

    /// Returns the next revision, such as `k3f9ab-12`.
    mutating func next() -> String {
        number += 1
        return "\(prefix)-\(number)"
    }
}
