import HTTPServer
import Levels
import Locking

/// The requests that wait for what they asked about to change, together where they have the same.
///
/// At a publication each representation is looked at once, however many wait for it, and only those whose tag differs
/// are answered.
final class Waiters: Sendable {
    private let groups = Guarded<[Key: Group]>([:])
    private let room: WaitingRoom

    /// What those who wait together have asked, and have.
    private struct Key: Hashable {
        let target: [UInt8]
        let choice: UInt64
        let wait: Wait
        let entityTag: String?
    }

    private struct Group {
        let inquiry: Inquiry
        /// The item as it was looked at last.
        var item: Item
        /// What is sent to all when their time is over.
        let notModified: Response
        var waiters: [ObjectIdentifier: Waiter] = [:]
    }

    init(room: WaitingRoom) { self.room = room }

    /// Has a request wait until its representation is another than the one that the client has.
    ///
    /// Whoever calls looks at what is published once more afterwards, since this may have come too late for it.
    ///
    /// - Returns: nil where too many wait already.
    func admit(_ inquiry: Inquiry, having selected: SelectedRepresentation, for wait: Wait) -> Waiter? {
        let key = Key(
            target: inquiry.target, choice: inquiry.negotiation.number, wait: wait, entityTag: selected.entityTag)
        let known = groups.withLock { $0[key]?.notModified }
        let group = Group(
            inquiry: inquiry, item: selected.item, notModified: known ?? selected.notModified(adding: wait.headers))
        let waiter = room.admit(for: .seconds(wait.seconds), otherwise: group.notModified) { [weak self] waiter, _ in
            self?.forget(waiter, key)
        }
        guard let waiter else { return nil }
        groups.withLock { $0[key, default: group].waiters[ObjectIdentifier(waiter)] = waiter }
        return waiter
    }

    private func forget(_ waiter: Waiter, _ key: Key) {
        groups.withLock { groups in
            groups[key]?.waiters[ObjectIdentifier(waiter)] = nil
            if groups[key]?.waiters.isEmpty == true { groups[key] = nil }
        }
    }

    /// Answers all whose representation is another now.
    ///
    /// - Parameters:
    ///   - select: gives the representation that is published, by what those who wait know: a state of the item and the
    ///     tag of that.
    ///   - refuse: the response where there is none any more.
    func wake(
        _ snapshot: Snapshot, select: (Inquiry, Item, Item, String?) throws(Problem) -> SelectedRepresentation,
        refuse: (Problem, Inquiry) -> Response
    ) {
        for (key, group) in groups.withLock({ $0 }) {
            do throws(Problem) {
                let item = try Item(at: group.inquiry.path, in: snapshot)
                if !group.inquiry.showsTheSame(of: group.item, as: item) {
                    let selected = try select(group.inquiry, item, group.item, key.entityTag)
                    guard selected.entityTag == key.entityTag else {
                        try answer(take(key), selected, key.wait)
                        continue
                    }
                }
                groups.withLock { $0[key]?.item = item }
            } catch {
                let response = refuse(error, group.inquiry)
                for waiter in take(key) { waiter.finish(response) }
            }
        }
    }

    /// The waiters of a group, which is dissolved: those who come to it later look for themselves.
    private func take(_ key: Key) -> [Waiter] {
        groups.withLock { groups in groups.removeValue(forKey: key).map { Array($0.waiters.values) } ?? [] }
    }

    private func answer(_ waiters: [Waiter], _ selected: SelectedRepresentation, _ wait: Wait) throws(Problem) {
        var shared: Response?
        for waiter in waiters {
            let response: Response
            if let shared { response = shared } else { response = try selected.response(adding: wait.headers) }
            if !response.isStream { shared = response }
            waiter.finish(response)
        }
    }
}
