internal import Bytes
internal import PropertyLists

/// The steps of a batch.
extension EditSession {
    mutating func apply(_ edit: Edit, isExact: Bool) throws(EditRefusal) {
        switch edit {
        case .insert(let item, let path, let position, let section):
            do throws(EditRefusal) {
                try insert(item, below: target(path, asOwner: true), at: position, section: section)
            } catch {
                throw fault(of: item) ?? error
            }
        case .put(let item, let path, let onlyIfNew):
            do throws(EditRefusal) {
                try put(item, at: path, onlyIfNew: onlyIfNew, isExact: isExact)
            } catch {
                switch error.kind {
                case .exists, .invalid: throw error
                default: throw faultOfPut(item) ?? error
                }
            }
        case .patch(let changes, let path): try patch(changes, at: path, isExact: isExact)
        case .move(let path, let owner, let position, let section):
            try move(path, below: owner, at: position, section: section)
        case .delete(let path): try delete(path)
        }
    }

    // MARK: Items

    mutating func insert(
        _ item: PropertyListValue, below target: EditTarget, at position: RowPosition, section: Int?
    ) throws(EditRefusal) {
        try item.checkItem()
        let place = try position.place(in: target, section: section, without: nil, names)
        let made = try maker(for: target, group: target.item.group(of: place.section)).row(of: item)
        try insert(made, below: target, at: place)
    }

    private mutating func insert(
        _ made: RowMaker.Made, below target: EditTarget, at place: RowPlace
    ) throws(EditRefusal) {
        let (source, row) = try inserted(made.step, below: target, at: place)
        let path = target.item.rowPath + [row]
        try take(source, of: target, .inserted(path), referringTo: made.parts) {
            $0.insert(.new, at: row, below: Provenance.Place(target.item))
        }
        follow(target, at: path, isNew: true)
    }

    /// The file with another row, and the row's number.
    private func inserted(
        _ step: Item.Step, below target: EditTarget, at place: RowPlace
    ) throws(EditRefusal) -> (source: Level, row: Int) {
        let owner = try branch(target.item, of: target)
        return try edited { () throws(TreeError) in
            var rows = try editor.rows(below: owner)
            try rows.insert([step], at: place)
            let source = try editor.document(arranging: rows, below: owner)
            return (source, rows.row(at: place))
        }
    }

    /// The item with a place for rows; a control that is a leaf gets one before its control.
    ///
    /// - Parameter target: an item of the same file.
    private func branch(_ item: Item, of target: EditTarget) throws(EditRefusal) -> Item {
        guard item.level == nil, item.own.level.row(item.own.row).isControl else { return item }
        let owner = EditTarget(shown: target.shown, file: target.file, item: item)
        var content = try content(of: owner)
        guard !content.hasPlace else { return item }
        content.addPlace(names)
        let made = try remade(owner, content)
        let source = try edited { () throws(TreeError) in
            try editor.document(replacing: item, with: made.step)
        }
        return Item(rowPath: item.rowPath, in: source) ?? item
    }

    // MARK: Removing and moving

    private mutating func delete(_ path: ItemPath) throws(EditRefusal) {
        let target = try target(path, asOwner: false)
        guard target.shown.depth > 0 else { throw EditRefusal(.root) }
        let source = try edited { () throws(TreeError) in try editor.document(removing: target.item) }
        try take(source, of: target, .removed(target.item.rowPath)) { _ = $0.remove(Provenance.Place(target.item)) }
        follow(target, at: nil, isNew: false)
    }

    private mutating func move(
        _ path: ItemPath, below ownerPath: ItemPath, at position: RowPosition, section: Int?
    ) throws(EditRefusal) {
        let target = try target(path, asOwner: false)
        guard case .found(let shown) = Item.find(ownerPath, in: document) else {
            _ = try self.target(ownerPath, asOwner: true)
            return
        }
        guard target.shown.depth > 0 else { throw EditRefusal(.root) }
        guard !shown.rowPath.starts(with: target.shown.rowPath) else { throw EditRefusal(.intoItself) }
        let owner = try self.owner(shown, beside: target)
        guard !owner.item.rowPath.starts(with: target.item.rowPath) else { throw EditRefusal(.intoItself) }
        let isBeside = owner.item.rowPath == target.item.rowPath.dropLast()
        let place = try position.place(
            in: owner, section: section, without: isBeside ? target.item.own.row : nil, names)
        try move(target, to: place, below: owner, isBeside: isBeside)
    }

    /// The item below which another one is moved, if it is in the same file.
    private mutating func owner(_ shown: Item, beside target: EditTarget) throws(EditRefusal) -> EditTarget {
        var other = self
        other.forgetFile()
        let owner = try other.target(shown, asOwner: true)
        guard owner.file == target.file else {
            throw .conflict(
                "the item and its new place are in different files, and a move would change both; insert a copy there, "
                    + "then delete the item")
        }
        return owner
    }

    private mutating func move(
        _ target: EditTarget, to place: RowPlace, below owner: EditTarget, isBeside: Bool
    ) throws(EditRefusal) {
        let remade = try movedRow(target, to: place, below: owner)
        let (source, path) =
            isBeside
            ? try moved(target.item, to: place, within: owner.item, remade)
            : try moved(target, to: place, below: owner.item, remade)
        try take(source, of: target, .moved(target.item.rowPath, to: path)) {
            let row = $0.remove(Provenance.Place(target.item))
            let counts = Provenance.Place(owner.item).rowCounts
            $0.insert(row, at: path[path.count - 1], below: .init(path: path.dropLast(), rowCounts: counts))
        }
        follow(owner, at: path, isNew: false)
    }

    /// The row as it is in a section that makes controls of its rows; nil if it is the same everywhere.
    private func movedRow(
        _ target: EditTarget, to place: RowPlace, below owner: EditTarget
    ) throws(EditRefusal) -> Item.Step? {
        let group = owner.item.group(of: place.section)
        guard group != nil || target.item.ownGroup != nil else { return nil }
        return try maker(for: target, group: group).row(of: content(of: target), replacing: target.item.own).step
    }

    private func moved(
        _ item: Item, to place: RowPlace, within owner: Item, _ remade: Item.Step?
    ) throws(EditRefusal) -> (source: Level, path: [Int]) {
        try edited { () throws(TreeError) in
            var rows = try editor.rows(below: owner)
            try rows.move(item.own.row, to: place)
            let row = rows.row(at: place)
            if let remade { try rows.replace(row, with: remade, keepsLevel: item.keepsLevel) }
            return (try editor.document(arranging: rows, below: owner), owner.rowPath + [row])
        }
    }

    private func moved(
        _ target: EditTarget, to place: RowPlace, below owner: Item, _ remade: Item.Step?
    ) throws(EditRefusal) -> (source: Level, path: [Int]) {
        let item = target.item
        let rest = try edited { () throws(TreeError) in try editor.document(removing: item) }
        let path = RowEffect.removed(item.rowPath).place(of: owner.rowPath) ?? owner.rowPath
        guard let found = Item(rowPath: path, in: rest) else { throw EditRefusal(.intoItself) }
        let owner = try branch(found, of: target)
        return try edited { () throws(TreeError) in
            var rows = try editor.rows(below: owner)
            try rows.insert([item.own], at: place)
            let row = rows.row(at: place)
            if let remade { try rows.replace(row, with: remade, keepsLevel: item.keepsLevel) }
            return (try editor.document(arranging: rows, below: owner), path + [row])
        }
    }
}

extension EditSession {
    /// Does something that a rule of trees may forbid.
    func edited<Result>(_ body: () throws(TreeError) -> Result) throws(EditRefusal) -> Result {
        do throws(TreeError) { return try body() } catch { throw EditRefusal(error) }
    }

    func content(of target: EditTarget) throws(EditRefusal) -> ItemContent {
        do throws(PropertyListError) {
            return try ItemContent(of: target.item.own, names: names)
        } catch {
            throw .conflict(error.reason)
        }
    }

    /// The row of an item with another content.
    func remade(_ target: EditTarget, _ content: ItemContent) throws(EditRefusal) -> RowMaker.Made {
        try maker(for: target, group: target.item.ownGroup, isRoot: target.item.depth == 0)
            .row(of: content, replacing: target.item.own)
    }
}

extension PropertyListValue {
    /// Refuses what cannot be an item at all.
    func checkItem() throws(EditRefusal) {
        switch self {
        case .string, .dictionary: return
        default: throw .invalid("an item must be a text or a dictionary")
        }
    }
}

extension RowArrangement {
    /// The number of the row at a place, over all sections.
    func row(at place: RowPlace) -> Int { counts[..<place.section].reduce(place.offset, +) }
}

extension Item {
    /// Whether a new row of the item keeps the level below; one that is made of records is made again.
    var keepsLevel: Bool { level.map { !$0.form.isDrilled } ?? false }

    /// The section that the item is in, if it makes controls of its rows.
    var ownGroup: Section? {
        own.level.allSections.first { ($0.start..<$0.start + $0.count).contains(own.row) }.flatMap { $0.ofControls }
    }

    /// A section below the item, if it makes controls of its rows.
    func group(of section: Int) -> Section? {
        guard let sections = level?.allSections, sections.indices.contains(section) else { return nil }
        return sections[section].ofControls
    }
}

extension Section {
    /// The section, if its `Type` makes controls of its rows.
    fileprivate var ofControls: Section? {
        guard !fields.isEmpty else { return nil }
        let type = PackedDictionary(fields.span, 0..<fields.count).text("Type").flatMap(ControlType.init)
        return type?.ofRows == nil ? nil : self
    }
}
