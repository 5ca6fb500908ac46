internal import Bytes
internal import PropertyLists

/// Steps of a batch on the level that is pending.
extension EditSession {
    /// Does a step on the pending level, or begins one; false if the step needs the tree of the steps before it.
    mutating func gather(_ edit: Edit, isExact: Bool) throws(EditRefusal) -> Bool {
        guard try isPending(edit) else { return false }
        switch edit {
        case .insert(let item, _, let position, let section): return try gather(item, at: position, section: section)
        case .put(let item, let path, false):
            return try gather(path) { session, target throws(EditRefusal) in
                try session.putRow(of: target, item, isExact: isExact)
            }
        case .patch(let changes, let path):
            return try gather(path) { session, target throws(EditRefusal) in
                try session.patchedRow(of: target, changes, isExact: isExact)
            }
        case .delete(let path): return try gatherRemoval(path)
        case .move(let path, _, let position, let section):
            return try gatherMove(path, to: position, section: section)
        case .put: return false
        }
    }

    /// Whether an edit is one of a row of the pending level; if another level is pending, that of the edit is now.
    private mutating func isPending(_ edit: Edit) throws(EditRefusal) -> Bool {
        guard let path = edit.levelPath else { return false }
        if pending?.path == path { return true }
        try settle()
        guard case .found(let shown) = Item.find(path, in: document) else { return false }
        do throws(EditRefusal) {
            pending = PendingLevel(below: try target(shown, asOwner: true), at: path, names: names)
        } catch {
            // The step by itself says what is wrong with it.
            return false
        }
        return pending != nil
    }

    // MARK: Rows

    private mutating func gather(
        _ item: PropertyListValue, at position: RowPosition, section: Int?
    ) throws(EditRefusal) -> Bool {
        try item.checkItem()
        guard let number = pending?.number(at: position, section: section, without: nil), let owner = pending?.owner
        else { return false }
        let made = try maker(for: owner, group: nil).row(of: item)
        guard try changePending({ pending throws(TreeError) in try pending.insert(made, at: number) }) else {
            return false
        }
        let path = owner.item.rowPath + [number]
        note(.inserted(path), in: owner.file) { $0.insert(.new, at: number, below: Provenance.Place(owner.item)) }
        follow(owner, at: path, isNew: true)
        return true
    }

    private mutating func gather(
        _ path: ItemPath, _ made: (inout EditSession, EditTarget) throws(EditRefusal) -> RowMaker.Made
    ) throws(EditRefusal) -> Bool {
        guard let row = pending?.row(withKey: path.lastKey), let target = pending?.target(row),
            target.item.level?.form.isDrilled != true
        else { return false }
        try target.checkEditable(asOwner: false)
        let made = try made(&self, target)
        let isReplaced = try changePending { pending throws(TreeError) in
            try pending.replace(row, with: made, keepsLevel: target.item.keepsLevel)
        }
        guard isReplaced else { return false }
        let place = target.item.rowPath.dropLast() + [row.number]
        note(.none, in: target.file) {
            $0.replace(.init(path: place[...], rowCounts: Provenance.Place(target.item).rowCounts))
        }
        follow(target, at: Array(place), isNew: false)
        return true
    }

    private mutating func gatherRemoval(_ path: ItemPath) throws(EditRefusal) -> Bool {
        guard let row = pending?.row(withKey: path.lastKey), let target = pending?.target(row) else { return false }
        try target.checkEditable(asOwner: false)
        let place = Array(target.item.rowPath.dropLast() + [row.number])
        guard !follows(below: place) else { return false }
        guard try changePending({ pending throws(TreeError) in try pending.remove(row) }) else { return false }
        note(.removed(place), in: target.file) {
            _ = $0.remove(.init(path: place[...], rowCounts: Provenance.Place(target.item).rowCounts))
        }
        follow(target, at: nil, isNew: false)
        return true
    }

    private mutating func gatherMove(
        _ path: ItemPath, to position: RowPosition, section: Int?
    ) throws(EditRefusal) -> Bool {
        guard let row = pending?.row(withKey: path.lastKey), let target = pending?.target(row),
            let number = pending?.number(at: position, section: section, without: row.number),
            let owner = pending?.owner
        else { return false }
        try target.checkEditable(asOwner: false)
        guard try changePending({ pending throws(TreeError) in try pending.move(row, to: number) }) else {
            return false
        }
        let above = owner.item.rowPath
        let counts = Provenance.Place(target.item).rowCounts
        note(.moved(above + [row.number], to: above + [number]), in: target.file) {
            let moved = $0.remove(.init(path: (above + [row.number])[...], rowCounts: counts))
            $0.insert(moved, at: number, below: .init(path: above[...], rowCounts: counts))
        }
        follow(target, at: above + [number], isNew: false)
        return true
    }

    private mutating func changePending(
        _ change: (inout PendingLevel) throws(TreeError) -> Bool
    ) throws(EditRefusal) -> Bool {
        guard var changed = pending else { return false }
        pending = nil
        defer { pending = changed }
        do throws(TreeError) { return try change(&changed) } catch { throw EditRefusal(error) }
    }
}

extension Edit {
    /// The path of the item above the rows that the edit changes; nil if it changes those of two, or the root.
    fileprivate var levelPath: ItemPath? {
        switch self {
        case .insert(_, let path, _, _): path
        case .put(_, let path, _), .patch(_, let path), .delete(let path): path.parent
        case .move(let path, let owner, _, _): path.parent == owner ? owner : nil
        }
    }
}
