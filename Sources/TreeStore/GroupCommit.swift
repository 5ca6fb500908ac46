internal import Levels
internal import TreeSources

/// The edits of several requests that share one save: each is applied to the state that the one before it leaves, and
/// has a snapshot and an answer of its own.
///
/// Nothing is visible before the save: then the snapshots are published, in order, and the requests answered.
struct GroupCommit {
    /// What became of a request, if the save succeeds.
    private enum Result {
        case applied(Snapshot, items: [EditedItem])
        /// - Parameter isFinal: whether this holds even if the save fails, because nothing was changed before it.
        case refused(EditRefusal, isFinal: Bool)
    }

    private let group: any EditGroup
    private let base: Snapshot
    /// The state after all requests so far.
    private var latest: Snapshot
    private var results: [(request: EditRequest, result: Result)] = []

    /// How many requests were applied; those after them belong to another group.
    var count: Int { results.count }

    /// Names and keeps a tree; called once for each state that is new.
    typealias MakingSnapshot = (EditedTree, _ author: String?) -> Snapshot

    /// Applies requests to a state.
    init(_ requests: [EditRequest], to base: Snapshot, by group: any EditGroup, makingSnapshot: MakingSnapshot) {
        self.group = group
        self.base = base
        latest = base
        for request in requests {
            do throws(EditRefusal) {
                try request.precondition(latest)
                guard let tree = try Self.edited(request, group) else { break }
                if tree.differs(from: latest) { latest = makingSnapshot(tree, request.author) }
                results.append((request, .applied(latest, items: tree.items)))
            } catch {
                results.append((request, .refused(error, isFinal: latest === base)))
            }
        }
    }

    private static func edited(_ request: EditRequest, _ group: any EditGroup) throws(EditRefusal) -> EditedTree? {
        switch request.content {
        case .edits(let batch): try group.apply(batch)
        case .document(let bytes): try group.replaceDocument(with: bytes)
        }
    }

    /// Whether there is anything to save.
    var isChange: Bool { latest !== base || group.hasUnshownChanges }

    /// Saves all changes; returns when they are on disk.
    func save() throws(SaveError) -> Fingerprint? { try group.save() }

    /// Does what the save has left to be done after its clients are answered.
    func finish() { group.finish() }

    /// Publishes each new state, in order, and then answers all requests.
    ///
    /// - Returns: the new states, with their requests.
    func publish(to publications: Publications) -> [(request: EditRequest, snapshot: Snapshot)] {
        var published: [(EditRequest, Snapshot)] = []
        var outcomes: [EditOutcome] = []
        for (request, result) in results {
            switch result {
            case .applied(let snapshot, let items):
                if publications.current.snapshot !== snapshot { published.append((request, snapshot)) }
                // Returns the current publication if it contains the snapshot already.
                outcomes.append(.done(publications.publish(snapshot), items: items))
            case .refused(let refusal, _): outcomes.append(.refused(refusal))
            }
        }
        for ((request, _), outcome) in zip(results, outcomes) { request.answer(outcome) }
        return published
    }

    /// Answers all requests after a save that failed.
    ///
    /// A refusal that depends on what was not saved is no longer right, so that request has failed, too.
    func fail(with outcome: EditOutcome) {
        for (request, result) in results {
            if case .refused(let refusal, isFinal: true) = result {
                request.answer(.refused(refusal))
            } else {
                request.answer(outcome)
            }
        }
    }
}

extension EditedTree {
    /// Whether the tree, or a file of it, is another than that of a snapshot.
    fileprivate func differs(from snapshot: Snapshot) -> Bool {
        document.hash != snapshot.document.hash || translations != snapshot.translations
            || !composition.hasSameSources(as: snapshot.composition)
    }
}

extension Composition? {
    /// Whether equal trees were composed of equal files.
    func hasSameSources(as other: Composition?) -> Bool {
        guard let own = self, let other else { return self == nil && other == nil }
        return own.hasSameSources(as: other)
    }
}
