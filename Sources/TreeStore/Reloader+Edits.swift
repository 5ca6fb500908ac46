internal import Heap
internal import Levels
internal import TreeSources

/// Edits: all waiting edits are applied and saved together, and published one by one.
extension Reloader {
    /// Saves and publishes the edits that are due, as one group.
    func commitEdits(_ state: StoreState) {
        open.fill(from: edits)
        guard open.isDue(at: clock.now), !isSourceBeingSaved(state) else { return }
        if case .stale(let error, _) = state.storeStatus {
            if watcher.isConnected == false { return answerAll(.away) }
            return error.isOutOfMemory ? answerAll(.refused(.outOfMemory)) : waitForWriter(state)
        }
        guard let memory = MemoryBudget.reserve(memoryOfEdits(state)) else {
            return answerAll(.refused(.outOfMemory))
        }
        defer { withExtendedLifetime(memory) {} }
        let group: any EditGroup
        do throws(EditRefusal) {
            group = try pulse.atSource { () throws(EditRefusal) in try watcher.beginEdits() }
        } catch {
            return answerAll(.refused(error))
        }
        commit(group, state: state)
    }

    /// Lets edits wait while a program has the unreadable source open for writing. Probably, the program has truncated
    /// the file and will write it. If no program has the source open for writing, the edits are refused.
    private func waitForWriter(_ state: StoreState) {
        if pulse.atSource({ watcher.isBeingWritten }) {
            guard open.postpone(at: clock.now, isNew: false) else { return answerAll(.refused(.sourceKeepsChanging)) }
            return
        }
        if open.attempts > 0 {
            // The writer may have just closed the file.
            readNewer(state)
            if state.storeStatus == .ok { return commitEdits(state) }
        }
        answerAll(.refused(whyStale))
    }

    /// The memory that edits need for records of each row of a level. The changed levels reserve memory of their own.
    private func memoryOfEdits(_ state: StoreState) -> Int {
        Self.leastMemoryOfEdits + 64 * min(state.snapshot.itemCount, Self.mostCountedItems)
    }

    private static let leastMemoryOfEdits = 8 << 20
    /// The largest number of rows that is expected in one level of a very large document.
    private static let mostCountedItems = 1_000_000

    /// The refusal of edits while the source does not match the published tree.
    private var whyStale: EditRefusal {
        if case .nothing(let refusal) = watcher.savability(at: .root) { return EditRefusal(refusal) }
        return .sourceUnreadable
    }

    /// Whether the source was just found broken, probably in the middle of a save. Edits wait for the end of that save.
    private func isSourceBeingSaved(_ state: StoreState) -> Bool { debounce.hasFailed && state.storeStatus == .ok }

    private func commit(_ group: any EditGroup, state: StoreState) {
        let begun = clock.now
        let commit = GroupCommit(requests: open.group, to: state.snapshot, by: group) { tree, author in
            snapshot(
                tree.document, translations: tree.translations, composition: tree.composition, reading: reading,
                named: tree.revision, by: .edit(author: author))
        }
        guard commit.count > 0 else {
            // The group does not accept even the first request. Without a refusal, this request would be tried forever.
            return answerAll(.refused(.notTaken))
        }
        do throws(SaveError) {
            if commit.isChange {
                let saving = clock.now
                defer { state.endDoubt() }
                fingerprint = try pulse.atSource { () throws(SaveError) in try commit.save() }
                tell(.saved(requests: commit.count, took: clock.now - saving))
            } else {
                try pulse.atSource { () throws(SaveError) in try group.confirm() }
            }
        } catch {
            return failed(commit, error: error, state: state)
        }
        endGroup(of: commit)
        let published = commit.publish(to: state.publications)
        // This precedes logging, because the program that reads the log may be slow.
        state.waitForSubscribers()
        commit.finish()
        for (request, snapshot) in published {
            tell(.edited(snapshot, author: request.author, edits: request.editCount, took: clock.now - begun))
        }
        trims.noteEdit(at: clock.now)
    }

    private func failed(_ commit: GroupCommit, error: SaveError, state: StoreState) {
        switch error {
        case .changedMeanwhile: return followForeignSave(state)
        case .refused(let number, let refusal): return separate(commit, number: number, refusal: refusal)
        case .busy(let reason):
            tell(.notSaved(id: SaveFailureID.next(), reason: reason))
            commit.fail(with: .busy)
        case .away(let reason):
            tell(.notSaved(id: SaveFailureID.next(), reason: reason))
            commit.fail(with: .away)
        case .noSpace(let reason):
            tell(.notSaved(id: SaveFailureID.next(), reason: reason))
            commit.fail(with: .noSpace)
        case .outOfMemory: commit.fail(with: .refused(.outOfMemory))
        case .unwritable(let refusal): commit.fail(with: .refused(EditRefusal(refusal)))
        case .failed(let reason), .unknown(let reason):
            let id = SaveFailureID.next()
            tell(.notSaved(id: id, reason: reason, isUnknown: error.isUnknown))
            commit.fail(with: .failed(id: id, isUnknown: error.isUnknown))
        }
        endGroup(of: commit)
    }

    /// Ends the group before a refused request. The requests before the refused request are saved without it, and the
    /// next group begins with it.
    ///
    /// If the refused request is the first of its group, the refusal is final.
    private func separate(_ commit: GroupCommit, number: Int, refusal: EditRefusal) {
        let index = commit.index(ofApplied: number)
        if index == 0 {
            open.requests[0].answer(.refused(refusal))
            open.remove(first: 1)
        } else {
            open.split(after: index)
        }
        edits.wake()
    }

    /// Removes the answered requests. The other requests form the next group.
    private func endGroup(of commit: GroupCommit) {
        open.remove(first: commit.count)
        if !open.requests.isEmpty { edits.wake() }
    }

    /// Loads the document that another program has saved. The edits are then tried again on the new tree.
    private func followForeignSave(_ state: StoreState) {
        let report = pulse.atSource { watcher.advance(at: clock.now) }
        if report == .committed { _ = publishAgain(in: state) }
        let before = state.snapshot
        if case .advanced(let advances)? = report {
            _ = publish(advances, in: state)
        } else {
            readNewer(state)
        }
        let isNew = state.snapshot !== before
        guard open.postpone(at: clock.now, isNew: isNew) else { return answerAll(.refused(.sourceKeepsChanging)) }
        if isNew { commitEdits(state) }
    }

    private func answerAll(_ outcome: EditOutcome) {
        for request in open.close() { request.answer(outcome) }
    }
}

extension EditRefusal {
    fileprivate static let sourceUnreadable = EditRefusal(
        .conflict, detail: "The document was changed and cannot be read any more; repair it, then repeat the edit.")
    fileprivate static let notTaken = EditRefusal(
        .conflict, detail: "The edits cannot be saved together; send them one by one.")
    fileprivate static let sourceKeepsChanging = EditRefusal(
        .conflict,
        detail:
            "Another program keeps the document open for writing, or changes it again and again; repeat the edit when it has finished."
    )
}

extension SaveError {
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

/// Identifiers of failures, by which an operator finds a client's problem in the log.
enum SaveFailureID {
    /// Returns eight random hexadecimal digits.
    static func next() -> String {
        let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// The edits of several requests that share one save. Each request is applied to the state after the previous request,
/// and has a snapshot and an answer of its own.
///
/// Nothing is visible before the save. After the save, the snapshots are published in order, and then the requests are
/// answered.
struct GroupCommit {
    /// The outcome of a request, if the save succeeds.
    private enum Result {
        case applied(Snapshot, items: [EditedItem])
        /// - Parameter isFinal: whether the refusal holds even if the save fails, because no earlier request of the
        ///   group changed anything.
        case refused(EditRefusal, isFinal: Bool)
    }

    private let group: any EditGroup
    private let base: Snapshot
    /// The state after all requests so far.
    private var latest: Snapshot
    private var results: [(request: EditRequest, result: Result)] = []

    /// The number of requests that were tried. The other requests belong to another group.
    var count: Int { results.count }

    /// Returns the index of an applied request.
    ///
    /// - Parameter number: the number of the request among the applied requests, from 0.
    func index(ofApplied number: Int) -> Int {
        let applied = results.indices.filter { if case .applied = results[$0].result { true } else { false } }
        return applied.indices.contains(number) ? applied[number] : 0
    }

    /// Makes the snapshot of a new state, with a revision. Called once for each state.
    typealias MakingSnapshot = (EditedTree, _ author: String?) -> Snapshot

    /// Applies requests to a state, one after another, up to the first request that must wait for another group.
    init(
        requests: some Sequence<EditRequest>, to base: Snapshot, by group: any EditGroup,
        makingSnapshot: MakingSnapshot
    ) {
        self.group = group
        self.base = base
        latest = base
        for request in requests {
            do throws(EditRefusal) {
                try request.precondition(latest)
                guard let tree = try Self.edited(request, group: group) else { break }
                if tree.differs(from: latest) { latest = makingSnapshot(tree, request.author) }
                results.append((request, .applied(latest, items: tree.items)))
            } catch {
                results.append((request, .refused(error, isFinal: latest === base)))
            }
        }
    }

    private static func edited(_ request: EditRequest, group: any EditGroup) throws(EditRefusal) -> EditedTree? {
        switch request.content {
        case .edits(let batch): try group.apply(batch, by: request.author)
        case .document(let bytes): try group.replaceDocument(with: bytes, by: request.author)
        }
    }

    /// Whether there is anything to save.
    var isChange: Bool { latest !== base || group.hasUnshownChanges }

    /// Saves all changes, and returns when they are on disk.
    ///
    /// - Returns: the state of the source; nil if only a load can determine it.
    func save() throws(SaveError) -> Fingerprint? { try group.save() }

    /// Finishes the work that the save postponed, so that the clients get their answers sooner.
    func finish() { group.finish() }

    /// Publishes each new state, in order, and then answers all requests.
    ///
    /// - Returns: each new state with its request.
    func publish(to publications: Publications) -> [(request: EditRequest, snapshot: Snapshot)] {
        var published: [(EditRequest, Snapshot)] = []
        var outcomes: [EditOutcome] = []
        for (request, result) in results {
            switch result {
            case .applied(let snapshot, let items):
                if publications.current.snapshot !== snapshot { published.append((request, snapshot)) }
                // If the snapshot is already current, `publish` returns its publication.
                outcomes.append(.done(publications.publish(snapshot), items: items))
            case .refused(let refusal, _): outcomes.append(.refused(refusal))
            }
        }
        for ((request, _), outcome) in zip(results, outcomes) { request.answer(outcome) }
        return published
    }

    /// Answers all requests after a failed save.
    ///
    /// A refusal that depends on unsaved edits, or perhaps on an old tree, does not hold, so the refused request fails as
    /// well.
    func fail(with outcome: EditOutcome) {
        lazy var isLatest = isLatest
        for (request, result) in results {
            if case .refused(let refusal, isFinal: true) = result, isLatest {
                request.answer(.refused(refusal))
            } else {
                request.answer(outcome)
            }
        }
    }

    private var isLatest: Bool {
        do throws(SaveError) {
            try group.confirm()
            return true
        } catch {
            return false
        }
    }
}

extension EditedTree {
    /// Whether the tree, or a file of it, differs from the tree or the files of a snapshot.
    fileprivate func differs(from snapshot: Snapshot) -> Bool {
        document.hash != snapshot.document.hash || translations != snapshot.translations
            || !composition.hasSameSources(as: snapshot.composition)
    }
}

extension Composition? {
    /// Whether two equal trees were composed of equal files.
    func hasSameSources(as other: Composition?) -> Bool {
        guard let own = self, let other else { return self == nil && other == nil }
        return own.hasSameSources(as: other)
    }
}
