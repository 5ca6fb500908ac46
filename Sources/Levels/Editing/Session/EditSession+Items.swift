internal import PropertyLists

/// Finding the items that steps name.
extension EditSession {
    /// Finds an item to be edited.
    ///
    /// - Parameter asOwner: whether the level below the item will be edited. That level may be in another file.
    mutating func target(_ path: ItemPath, asOwner: Bool) throws(EditRefusal) -> EditTarget {
        let target = try target(item(at: path), asOwner: asOwner)
        if !asOwner { try checkCondition(of: target) }
        return target
    }

    mutating func target(_ found: FoundItem, asOwner: Bool) throws(EditRefusal) -> EditTarget {
        var (file, own): (Composition?, OwnItem)
        if let item = found.own {
            (file, own) = (batchFile.flatMap { files[$0].current }, item)
        } else {
            let origin = composition?.origin(of: found.shown)
            (file, own) = (origin?.file, OwnItem(origin?.item ?? found.shown))
        }
        if asOwner, let reference = own.step.level.part(own.step.row), !reference.isTable {
            switch file?.parts[reference] {
            case .composed(let part):
                file = part
                own = OwnItem(Item(rootOf: part.source))
            case .refused(let sentence): throw Self.unread(found.shown, sentence: sentence)
            case .elsewhere: throw .rowsOfDatabase
            case nil: throw Self.unread(found.shown, sentence: "It is not loaded.")
            }
        }
        let target = EditTarget(found: found, file: number(of: file), own: own)
        try target.checkEditable(asOwner: asOwner)
        guard batchFile ?? target.file == target.file else {
            throw .conflict(
                "the edits concern several files, which cannot be saved in one step; send the edits of each file separately"
            )
        }
        if batchFile == nil { (batchFile, mount) = (target.file, found.prefix(target.mount.count)) }
        return target
    }

    /// Finds the item at a path.
    mutating func item(at path: ItemPath) throws(EditRefusal) -> FoundItem {
        let found = try lookUp(path)
        if found.path.count == path.count { return found }
        try settle()
        guard case .missing(let nearest, let number) = Item.find(path, in: document) else { return found }
        throw Self.missing(path.key(number), nearest: nearest)
    }

    /// Follows a path as far as it leads to items.
    mutating func lookUp(_ path: ItemPath) throws(EditRefusal) -> FoundItem {
        if isBehind, let found = itemOfDraft(at: path) { return found }
        try settle()
        switch Item.find(path, in: document) {
        case .found(let item): return FoundItem(path: path, shown: item)
        case .missing(let nearest, let number): return FoundItem(path: path.prefix(number), shown: nearest)
        }
    }

    /// Follows a path in the draft of the batch's file; nil if the tree is needed to find the item.
    private func itemOfDraft(at path: ItemPath) -> FoundItem? {
        guard let batchFile, let mount, path.prefix(mount.path.count) == mount.path else { return nil }
        // The row where a file is mounted belongs to another file.
        if batchFile != 0, path.count == mount.path.count { return nil }
        let draft = files[batchFile].draft
        var (item, form, group) = (draft.root, draft.old.form, Section?.none)
        var (rows, number): ([Int], Int) = ([], mount.path.count)
        var steps = batchFile == 0 ? [item.step] : mount.shown.steps
        while number < path.count, let level = item.level(names) {
            // The keys of rows that mount other files are those of the composed document.
            if composition != nil, level.holdsParts { return nil }
            guard let row = level.row(withKey: path.bytes(number)), let next = level.item(at: row) else { break }
            (item, form, group) = (next, level.old.form, level.group(of: row))
            rows.append(row)
            steps.append(item.step)
            number += 1
        }
        guard number == path.count || composition == nil else { return nil }
        if composition != nil, item.level(names)?.holdsParts == true { return nil }
        return FoundItem(
            path: path.prefix(number), shown: Item(steps), rows: mount.rows + rows,
            own: OwnItem(path: rows, step: item.step, form: form, level: item.draft?.old ?? item.below, group: group))
    }

    /// Finds an item whose own fields will be edited.
    mutating func fieldsTarget(_ path: ItemPath) throws(EditRefusal) -> EditTarget {
        let target = try target(path, asOwner: false)
        // A leaf that has become a branch gets a place for its level when the tree is made.
        guard let level = target.own.level, target.own.step.writtenKind != .array,
            target.own.step.place?.form != level.form
        else { return target }
        try settle()
        return try self.target(path, asOwner: false)
    }

    /// Refuses an unconditional edit of an item whose natural key a sibling has, and a conditional one if the path leads
    /// to another item than before the batch. The path leads to the sibling when the item is gone, so a repeated request
    /// would change the sibling.
    private func checkCondition(of target: EditTarget) throws(EditRefusal) {
        let path = target.found.path
        if let taggedMark, taggedMark != files[target.file].draft.item(at: target.path)?.mark {
            throw EditRefusal(
                .preconditionFailed(current: nil, fields: nil),
                detail:
                    "After the steps before it, '\(quoted: "\(path)")' is another item than the one with this tag; "
                    + "change or remove the last of the items with the same Key or title first.")
        }
        guard let base = unconditionalBase, let (item, isMoved) = itemWithSharedKey(target, in: base) else { return }
        throw EditRefusal(
            .preconditionRequired(item),
            detail:
                "\(item.titlePath) has the same Key or title as another item of its level, and may now have its path."
                + (isMoved ? " Put the step before the one that moves it." : ""))
    }

    /// Returns the item at the target's path in a document, or the item that has moved there, if a sibling has its natural
    /// key.
    private func itemWithSharedKey(_ target: EditTarget, in document: Level) -> (item: Item, isMoved: Bool)? {
        var (item, isMoved) = (Item?.none, false)
        if case .found(let found) = Item.find(target.found.path, in: document) {
            item = found
        } else if composition == nil, let rows = files[target.file].draft.item(at: target.path)?.origin {
            // The rows of a mounted file are not those of the composed document.
            (item, isMoved) = (Item(rowPath: rows, in: document), true)
        }
        guard let item, item.depth > 0, item.own.level.sharesNaturalKey(item.own.row) else { return nil }
        return (item, isMoved)
    }

    static func missing(_ key: String, nearest: Item) -> EditRefusal {
        if let sentence = nearest.level?.refusal { return unread(nearest, sentence: sentence) }
        return EditRefusal(
            .noSuchItem(key, nearest: nearest), detail: "There is no '\(quoted: key)' in \(nearest.titlePath).")
    }

    private static func unread(_ item: Item, sentence: String) -> EditRefusal {
        .conflict("the document of \(item.titlePath) cannot be edited: \(sentence)")
    }
}
