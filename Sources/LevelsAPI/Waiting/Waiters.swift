import HTTPServer
import Levels
import Locking
import TreeStore

/// The requests that wait for a representation to change, grouped by target and by what the clients have.
///
/// After a publication each group is checked once, whatever its size, and answered if its entity tag changed.
final class Waiters: Sendable {
    private let groups = Guarded<[Key: Group]>([:])
    private let room: WaitingRoom

    /// What the waiters of a group requested, and what they have.
    struct Key: Hashable {
        fileprivate let target: [UInt8]
        fileprivate let choice: UInt64
        fileprivate let wait: Wait
        fileprivate let entityTag: String?
    }

    private struct Group {
        let inquiry: Inquiry
        /// The item when the group was last checked.
        var item: Item
        /// The newest publication that a waiter came from or the group was checked for; earlier ones are ignored.
        var number: Int
        /// The response to each waiter when its time is up.
        let notModified: Response
        /// Whether the group is to be checked on another thread.
        var isQueued = false
        var waiters: [ObjectIdentifier: Waiter] = [:]

        mutating func see(_ seen: Item, in publication: Int) {
            guard publication > number else { return }
            (item, number) = (seen, publication)
        }
    }

    /// A request that was admitted: it belongs to a group from `add` on.
    struct Place {
        let waiter: Waiter
        fileprivate let key: Guarded<Key?>

        init(_ waiter: Waiter, key: Guarded<Key?> = Guarded(nil)) {
            self.waiter = waiter
            self.key = key
        }
    }

    init(room: WaitingRoom) { self.room = room }

    /// Admits a request that will wait until its representation differs from the one that the client has.
    ///
    /// - Parameter otherwise: the response if the time is over.
    /// - Returns: nil if too many requests are waiting.
    func reserve(for wait: Wait, otherwise: Response) -> Place? {
        let key = Guarded<Key?>(nil)
        let waiter = room.admit(for: wait.duration, otherwise: otherwise) { [weak self] waiter, _ in
            if let key = key.withLock({ $0 }) { self?.forget(waiter, key) }
        }
        return waiter.map { Place($0, key: key) }
    }

    /// Makes a request wait until its representation differs from the one that the client has.
    ///
    /// Afterwards the caller must check whether something was published meanwhile, because this may have missed it.
    ///
    /// - Parameter number: the number of the publication that the representation was selected from.
    func add(
        _ place: Place, _ inquiry: Inquiry, about item: Item, having selected: Representation, in number: Int,
        for wait: Wait
    ) {
        let key = Key(
            target: inquiry.target, choice: inquiry.negotiation.number, wait: wait, entityTag: selected.entityTag)
        let waiter = place.waiter
        let group = Group(inquiry: inquiry, item: item, number: number, notModified: waiter.otherwise)
        place.key.withLock { $0 = key }
        let shared = groups.withLock { groups in
            groups[key, default: group].waiters[ObjectIdentifier(waiter)] = waiter
            groups[key]?.see(group.item, in: number)
            return groups[key]?.notModified
        }
        // One response serves the whole group.
        if let shared, shared !== group.notModified { waiter.otherwise = shared }
        // It may have ended before it had a key.
        if waiter.end != nil { forget(waiter, key) }
    }

    private func forget(_ waiter: Waiter, _ key: Key) {
        groups.withLock { groups in
            groups[key]?.waiters[ObjectIdentifier(waiter)] = nil
            if groups[key]?.waiters.isEmpty == true { groups[key] = nil }
        }
    }

    /// The groups that were not checked for a publication yet, and are not about to be.
    func keys(before number: Int) -> [Key] {
        groups.withLock { groups in groups.filter { $0.value.number < number && !$0.value.isQueued }.map(\.key) }
    }

    /// Whether the check of a group takes long; if so, it counts as queued until it is checked.
    ///
    /// - Parameter limit: how many rows may be looked at.
    func queue(_ key: Key, ifAbove limit: Int) -> Bool {
        groups.withLock { groups in
            guard let group = groups[key], group.inquiry.query.work(on: group.item.level) > limit else { return false }
            groups[key]?.isQueued = true
            return true
        }
    }

    /// Answers the waiters of a group if their representation differs in a publication.
    ///
    /// A group that was checked for a later publication is skipped, so that no client gets an older state. Each group is
    /// checked on one thread at a time.
    ///
    /// - Parameters:
    ///   - select: returns the representation in the publication; its last argument is the state that the waiters have.
    ///   - refuse: returns the response if the item no longer exists.
    func wake(
        _ key: Key, _ publication: Publication, select: (Inquiry, Item, Item) throws(Problem) -> Representation,
        refuse: (Problem, Inquiry) -> Response
    ) {
        let number = publication.number
        let found = groups.withLock { groups in
            groups[key]?.isQueued = false
            return groups[key]
        }
        guard let group = found, group.number < number else { return }
        do throws(Problem) {
            let item = try Item(
                at: group.inquiry.path, in: publication.snapshot.document(in: group.inquiry.language))
            if !group.inquiry.showsTheSame(of: group.item, as: item) {
                let selected = try select(group.inquiry, item, group.item)
                guard selected.entityTag == key.entityTag else {
                    // If it cannot be made, the whole group gets the problem below.
                    let first = try selected.response(adding: key.wait.headers)
                    for (index, waiter) in take(key, before: number).enumerated() {
                        waiter.finish(
                            index == 0 || !first.isStream
                                ? first : another(selected, key.wait) { refuse($0, group.inquiry) })
                    }
                    return
                }
            }
            groups.withLock { $0[key]?.see(item, in: number) }
        } catch {
            let response = refuse(error, group.inquiry)
            for waiter in take(key, before: number) { waiter.finish(response) }
        }
    }

    /// Removes a group and returns its waiters; none if one of them came from this or a later publication.
    private func take(_ key: Key, before number: Int) -> [Waiter] {
        groups.withLock { groups in
            guard let group = groups[key], group.number < number else { return [] }
            groups[key] = nil
            return Array(group.waiters.values)
        }
    }

    /// One more response of a representation whose responses can each be sent once only.
    private func another(_ selected: Representation, _ wait: Wait, refuse: (Problem) -> Response) -> Response {
        do throws(Problem) { return try selected.response(adding: wait.headers) } catch { return refuse(error) }
    }
}
