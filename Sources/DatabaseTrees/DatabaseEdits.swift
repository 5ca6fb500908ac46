internal import Levels
internal import PropertyLists
internal import TreeSources

/// The edits of several requests. Each request becomes one revision of the database. All revisions are committed in one
/// transaction.
final class DatabaseEdits: EditGroup {
    private let watcher: DatabaseWatcher
    private let base: TreeHead
    private var document: Level
    private var index: ItemIndex
    private var requests: [RevisionWrite] = []
    /// The position of each written request among all applied requests; those that change nothing are not written.
    private var positions: [Int] = []
    private var appliedCount = 0
    /// The error that prevented the reservation of ids for new items. `save` fails with this error.
    private var failure: DatabaseError?
    /// Ids that are reserved for new items and not used yet.
    private var ids: ArraySlice<Int64> = []

    init(watcher: DatabaseWatcher, base: TreeHead) {
        (self.watcher, self.base) = (watcher, base)
        (document, index) = (watcher.document, watcher.index)
    }

    func apply(_ batch: EditBatch, by author: String?) throws(EditRefusal) -> EditedTree? {
        let interpretation = watcher.interpretation
        var session = EditSession(
            document: document, names: interpretation.names, limits: interpretation.treeLimits, syntax: .binary)
        let items = try session.apply(batch)
        guard !session.needsLoad else { throw Self.refersToOthers }
        guard let change = session.changedFiles.first else { return edited(items) }
        try note(change, by: author)
        return edited(items)
    }

    func replaceDocument(with bytes: [UInt8], by author: String?) throws(EditRefusal) -> EditedTree {
        let tree = try SentDocument(bytes: bytes, replacing: document, interpretation: watcher.interpretation).tree
        guard tree.parts.isEmpty else { throw Self.refersToOthers }
        try note(ChangedFile(old: document, new: tree.document, draft: nil), by: author)
        return edited([])
    }

    private static let refersToOthers = EditRefusal(
        .invalid(pointer: nil),
        detail: "A tree in a database cannot refer to other documents; put the items in place of 'Source' or 'Records'."
    )

    /// Plans the statements for a change, and adds them as one more revision to write.
    private func note(_ change: ChangedFile, by author: String?) throws(EditRefusal) {
        guard change.new.hash != document.hash else { return }
        var index = index
        do throws(DatabaseError) {
            let writes = try EditPlan.writes(of: change, index: &index) { () throws(DatabaseError) in try self.newID() }
            requests.append(RevisionWrite(author: author, mark: RandomNames.mark(), writes: writes))
        } catch {
            guard error.kind != .other else {
                throw EditRefusal(
                    .invalid(pointer: nil), detail: "The database cannot take it: \(error.reason)".withFullStop)
            }
            failure = error
        }
        (document, self.index) = (change.new, index)
    }

    /// Returns an id for a new item. Skips reserved ids that another program has used for its own rows.
    private func newID() throws(DatabaseError) -> Int64 {
        var id: Int64
        repeat {
            if ids.isEmpty { ids = try watcher.reserveIDs()[...] }
            id = ids.removeFirst()
        } while index.holds(id)
        return id
    }

    private func edited(_ items: [EditedItem]) -> EditedTree {
        if requests.count > positions.count { positions.append(appliedCount) }
        appliedCount += 1
        var head = base
        head.revision += Int64(requests.count)
        if let last = requests.last { head.date = Double(last.date) / 1_000 }
        return EditedTree(document: document, revision: SourceRevision(head), items: items)
    }

    func confirm() throws(SaveError) { try watcher.confirm(base) }

    func save() throws(SaveError) -> Fingerprint? {
        if let failure { throw SaveError(.failed(failure)) }
        do throws(SaveError) {
            try watcher.save(requests, as: document, index: index, after: base)
        } catch {
            guard case .refused(let number, let refusal) = error else { throw error }
            throw .refused(number: positions[number], refusal)
        }
        return nil
    }

    func finish() {}
}
