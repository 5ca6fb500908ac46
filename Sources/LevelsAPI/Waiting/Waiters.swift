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
    private struct Key: Hashable {
        let target: [UInt8]
        let choice: UInt64
        let wait: Wait
        let entityTag: String?
    }

    private struct Group {
        let inquiry: Inquiry
        /// The item when the group was last checked.
        var item: Item
        /// The newest publication that a waiter came from or the group was checked for; earlier ones are ignored.
        var number: Int
        /// The response to each waiter when its time is up.
        let notModified: Response
        var waiters: [ObjectIdentifier: Waiter] = [:]

        mutating func see(_ seen: Item, in publication: Int) {
            guard publication > number else { return }
            (item, number) = (seen, publication)
        }
    }

    init(room: WaitingRoom) { self.room = room }

    /// Makes a request wait until its representation differs from the one that the client has.
    ///
    /// Afterwards the caller must check whether something was published meanwhile, because this may have missed it.
    ///
    /// - Parameter number: the number of the publication that the representation was selected from.
    /// - Returns: nil if too many requests are waiting.
    func admit(
        _ inquiry: Inquiry, about item: Item, having selected: Representation, in number: Int, for wait: Wait
    ) -> Waiter? {
        let key = Key(
            target: inquiry.target, choice: inquiry.negotiation.number, wait: wait, entityTag: selected.entityTag)
        let known = groups.withLock { $0[key]?.notModified }
        let group = Group(
            inquiry: inquiry, item: item, number: number,
            notModified: known ?? selected.notModified(adding: wait.headers))
        let waiter = room.admit(for: .seconds(wait.seconds), otherwise: group.notModified) { [weak self] waiter, _ in
            self?.forget(waiter, key)
        }
        guard let waiter else { return nil }
        groups.withLock { groups in
            groups[key, default: group].waiters[ObjectIdentifier(waiter)] = waiter
            groups[key]?.see(group.item, in: number)
        }
        return waiter
    }

    private func forget(_ waiter: Waiter, _ key: Key) {
        groups.withLock { groups in
            groups[key]?.waiters[ObjectIdentifier(waiter)] = nil
            if groups[key]?.waiters.isEmpty == true { groups[key] = nil }
        }
    }

    /// Answers the waiters whose representation differs in a publication; called on one thread at a time.
    ///
    /// A group that was checked for a later publication is skipped, so that no client gets an older state.
    ///
    /// - Parameters:
    ///   - select: returns the representation in the publication; its last argument is the state that the waiters have.
    ///   - refuse: returns the response if the item no longer exists.
    func wake(
        _ publication: Publication, select: (Inquiry, Item, Item) throws(Problem) -> Representation,
        refuse: (Problem, Inquiry) -> Response
    ) {
        let number = publication.number
        for (key, group) in groups.withLock({ $0 }) where group.number < number {
            do throws(Problem) {
                let item = try Item(at: group.inquiry.path, in: publication.snapshot)
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
                        continue
                    }
                }
                groups.withLock { $0[key]?.see(item, in: number) }
            } catch {
                let response = refuse(error, group.inquiry)
                for waiter in take(key, before: number) { waiter.finish(response) }
            }
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
