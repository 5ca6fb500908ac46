public import Levels
internal import Locking

/// The one owner of what is published: the current snapshot, those that it replaced, and who is notified of changes.
///
/// Publishing makes a snapshot visible at once; `notify` tells the subscribers later, in order, on its caller's thread.
public final class Publications: Sendable {
    /// Called with the snapshot that was replaced and the publication that replaced it.
    public typealias Subscriber = @Sendable (_ old: Snapshot, _ new: Publication) -> Void

    /// Has a lock of its own, which is held for a copy only: every request takes it.
    private let latest: Guarded<Publication>
    private let book: Guarded<Book>
    /// The budget of the history in bytes; 0 keeps nothing.
    public let historyBytes: Int
    private let onPublish: @Sendable () -> Void
    /// Whether the publisher says when it has published all that belongs together.
    private let hasTurns: Bool

    private struct Book {
        var kept: KeptSnapshots
        /// Bytes of the budget that others use.
        var reserved = 0
        /// What the subscribers have not been told, the oldest first.
        var pending: [(old: Snapshot, new: Publication)] = []
        /// Whether there was a publication in a turn that has not ended.
        var isInTurn = false
        /// What is done at the end of the turn.
        var atEnd: [@Sendable () -> Void] = []
        /// Each with the first publication that it is told of.
        var subscribers: [(first: Int, tell: Subscriber)] = []
    }

    /// - Parameters:
    ///   - first: the snapshot that is current first.
    ///   - historyBytes: the memory that replaced snapshots, and the records of what changed, may take.
    ///   - hasTurns: whether the publisher calls `endTurn` after one or more publications.
    ///   - onPublish: called on the publisher's thread when `notify` has something to do.
    public init(
        _ first: Snapshot, historyBytes: Int = 64 << 20, hasTurns: Bool = false,
        onPublish: @escaping @Sendable () -> Void = {}
    ) {
        let publication = Publication(snapshot: first, number: first.revisions(before: nil).count)
        latest = Guarded(publication)
        book = Guarded(Book(kept: KeptSnapshots(publication)))
        self.historyBytes = historyBytes
        self.hasTurns = hasTurns
        self.onPublish = onPublish
    }

    /// What is published; cheap enough for every request, on any thread.
    public var current: Publication { latest.withLock { $0 } }

    /// Makes a snapshot the current one, unless it is already; requests that run go on with theirs.
    ///
    /// For one thread at a time. When this returns, every thread sees the snapshot, and the subscribers may not have
    /// been told. Time is linear in the levels that differ and their rows.
    ///
    /// - Returns: the current publication.
    @discardableResult
    public func publish(_ snapshot: Snapshot) -> Publication {
        let old = current
        guard old.snapshot !== snapshot else { return old }
        let missed = snapshot.revisions(before: old.snapshot).count
        let new = Publication(snapshot: snapshot, number: old.number + missed + 1)
        book.withLock { book in
            // Before anyone is served the new snapshot, so that its revision and the old snapshot can be asked for.
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

    /// Does something once for all publications of a turn: at its end, or now if there is none.
    public func atEndOfTurn(_ action: @escaping @Sendable () -> Void) {
        let isInTurn = book.withLock { book in
            if book.isInTurn { book.atEnd.append(action) }
            return book.isInTurn
        }
        if !isInTurn { action() }
    }

    /// Ends the publisher's turn, on its thread: first come those who wait for its end, and then the subscribers.
    func endTurn() {
        let (isTurn, actions) = book.withLock { book in
            defer { (book.isInTurn, book.atEnd) = (false, []) }
            return (book.isInTurn, book.atEnd)
        }
        for action in actions { action() }
        if isTurn { onPublish() }
    }

    // MARK: History

    /// The number of the publication with a revision, or of a revision of the source's log that was not published here;
    /// nil if it is unknown, or 2,048 others followed it.
    public func number(of revision: String) -> Int? { book.withLock { $0.kept.number(of: revision) } }

    /// The snapshot of a publication that was replaced; nil if it is not kept.
    public func snapshot(_ number: Int) -> Snapshot? { book.withLock { $0.kept.snapshot(number) } }

    /// The replaced snapshots that are kept, the newest first.
    public var replaced: [Snapshot] { book.withLock { $0.kept.snapshots } }

    /// Sets how many bytes of the history's budget are used otherwise than for snapshots.
    public func reserve(_ bytes: Int) { shrink(reserving: bytes) }

    private func shrink(reserving bytes: Int? = nil, after change: (inout KeptSnapshots) -> Void = { _ in }) {
        let dropped = book.withLock { book in
            change(&book.kept)
            book.reserved = bytes ?? book.reserved
            return book.kept.shrink(to: historyBytes - book.reserved)
        }
        // Released here, without the lock.
        _ = consume dropped
    }

    // MARK: Notification

    /// Has a subscriber told of all later publications, each once and in order.
    ///
    /// - Returns: the publication after which it is told.
    @discardableResult
    public func subscribe(_ subscriber: @escaping Subscriber) -> Publication {
        book.withLock { book in
            let now = current
            book.subscribers.append((now.number + 1, subscriber))
            return now
        }
    }

    /// Tells the subscribers of the publications that they have not been told of; for one thread at a time.
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

    /// How many publications `notify` has to tell of.
    var pendingCount: Int { book.withLock { $0.pending.count } }
}

/// A snapshot with its place in the order of publications; a response is made from exactly one.
public struct Publication: Sendable {
    /// The snapshot that is served.
    public let snapshot: Snapshot
    /// How many publications there were before this one, with the revisions of the source's log that were not published
    /// here.
    public let number: Int
}

/// Names the states that one process publishes: a random prefix and a counter.
struct RevisionCounter {
    private let prefix: String
    private var number = 0

    init() {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        prefix = String((0..<6).compactMap { _ in letters.randomElement() })
    }

    /// The next revision, as `k3f9ab-12`.
    mutating func next() -> String {
        number += 1
        return "\(prefix)-\(number)"
    }
}
