internal import Bytes
internal import PropertyLists

/// Turns the edits of a document that is read as it is into changes of its text (manual, Editing).
///
/// The document is read again after each change, with what was decided about it before. An edit is refused if other rows
/// than its own would come or go.
package struct NaturalEditor {
    let document: Level
    let kept: KeptReading?
    /// The given names of titles and keys.
    let names: StructuralNames

    package init(_ tree: Tree, names: StructuralNames) {
        (document, kept, self.names) = (tree.document, tree.kept, names)
    }

    /// The change for an edit.
    package struct Planned {
        package let change: NaturalChange
        /// The place of the edited item after the change; nil for a deleted item.
        package let place: NaturalPlace?
        package let isNew: Bool
        /// The place of the item whose rows or entries change.
        let owner: NaturalPlace
    }

    /// - Throws: `EditRefusal` if the document cannot have the edit.
    package func plan(_ edit: Edit, isExact: Bool) throws(EditRefusal) -> Planned {
        switch edit {
        case .insert(let value, let path, let position, let section):
            return try insert(value, below: item(at: path), at: position, section: section)
        case .put(let value, let path, let onlyIfNew):
            switch Item.find(path, in: document) {
            case .found(let item):
                guard !onlyIfNew else {
                    throw EditRefusal(
                        .exists,
                        detail: "\(item.titlePath) exists already; put it without If-None-Match to replace it.")
                }
                return try put(value, as: item, isExact: isExact)
            case .missing(let nearest, let number):
                guard number == path.count - 1 else { throw Self.missing(path, number, nearest: nearest) }
                return try make(value, keyed: path.key(number), below: nearest)
            }
        case .patch(let value, let path): return try patch(value, of: item(at: path), isExact: isExact)
        case .delete(let path): return try delete(item(at: path))
        case .move(let path, let owner, let position, let section):
            return try move(item(at: path), below: item(at: owner), at: position, section: section)
        }
    }

    /// Refuses an edit that needs a condition, because its path may have become that of another item.
    package func checkCondition(of edit: Edit) throws(EditRefusal) {
        guard let path = edit.item, case .found(let item) = Item.find(path, in: document), item.depth > 0 else {
            return
        }
        let isNumbered = Self.isNumbered(item.own)
        guard isNumbered || item.own.level.sharesNaturalKey(item.own.row) else { return }
        throw EditRefusal(
            .preconditionRequired(item),
            detail: isNumbered
                ? "\(item.titlePath) has only its number as its path, and another item may now have it."
                : "\(item.titlePath) has the same key or title as another item of its level, and may now have its path."
        )
    }

    /// Whether the path of an element ends with its number, so that it changes when an element before it comes or goes.
    private static func isNumbered(_ element: Item.Step) -> Bool {
        let row = element.level.row(element.row)
        guard element.level.form == .list, !row.isString, !row.hasExplicitKey else { return false }
        guard row.titleSource >= 0 else { return true }
        if row.holdsTitleInFields { return false }
        // Data and long texts do not title the element that stands for them.
        let bytes = element.level.bytes
        let text = PackedReader(bytes: bytes.span, at: row.titleSource).scalarText
        return text.map { $0.utf8.count > ShortText.mostBytes } ?? true
    }

    private func item(at path: ItemPath) throws(EditRefusal) -> Item {
        switch Item.find(path, in: document) {
        case .found(let item): return item
        case .missing(let nearest, let number): throw Self.missing(path, number, nearest: nearest)
        }
    }

    private static func missing(_ path: ItemPath, _ number: Int, nearest: Item) -> EditRefusal {
        EditSession.missing(path.key(number), nearest: nearest)
    }

    // MARK: Elements

    private func insert(
        _ value: PropertyListValue, below owner: Item, at position: RowPosition, section: Int?
    ) throws(EditRefusal) -> Planned {
        try Self.check(value)
        guard let place = owner.naturalRowsPlace else { return try insertFirst(value, below: owner) }
        let row = try position.offset(in: owner, section: section)
        let element = try KeyedList(self, owner).element(value)
        return Planned(
            change: .insert(element, into: place, at: row), place: place.appending(.element(row)), isNew: true,
            owner: owner.naturalPlace)
    }

    /// Makes the array of children of an item that has none. The name is that of the item's own level.
    private func insertFirst(_ value: PropertyListValue, below owner: Item) throws(EditRefusal) -> Planned {
        if isMap(owner) {
            throw .invalid(
                "the rows of \(owner.titlePath) have names; PUT the new row at the path of its name")
        }
        guard let name = owner.stepAbove?.childrenName, owner.own.level.isDictionary(owner.own.row) else {
            throw .conflict("\(owner.titlePath) has no list to which an element could be added")
        }
        guard owner.level == nil else {
            throw .conflict("\(owner.titlePath) has rows of its own, which are not the elements of a list")
        }
        let old = try entries(of: owner)
        let new = old + [.init(name: name, value: .array([value]))]
        let place = owner.naturalPlace
        return Planned(
            change: .entries(place, old: old, new: new),
            place: place.appending(.name(name)).appending(.element(0)), isNew: true, owner: place)
    }

    private func make(
        _ value: PropertyListValue, keyed key: String, below owner: Item
    ) throws(EditRefusal) -> Planned {
        try Self.check(value)
        if isMap(owner) || owner.depth > 0 && owner.own.isEmptyMember {
            guard value.isDictionaryOrArray else {
                throw .invalid("a row of \(owner.titlePath) must be a dictionary or an array")
            }
            let (place, old) = (owner.naturalPlace, try entries(of: owner))
            let name = Array(key.utf8)
            return Planned(
                change: .entries(place, old: old, new: old + [.init(name: name, value: value)]),
                place: place.appending(.name(name)), isNew: true, owner: place)
        }
        guard let place = owner.naturalRowsPlace else {
            throw .conflict(
                "\(owner.titlePath) holds its rows by name; to add one, change the file, or PUT the whole document")
        }
        let list = KeyedList(self, owner)
        let element = try list.element(value, keyed: key)
        let row = owner.level?.rowCount ?? 0
        return Planned(
            change: .insert(element, into: place, at: row), place: place.appending(.element(row)), isNew: true,
            owner: owner.naturalPlace)
    }

    private func delete(_ item: Item) throws(EditRefusal) -> Planned {
        guard let (owner, place) = owner(of: item) else { throw EditRefusal(.root) }
        if item.own.level.form == .list, let rows = owner.naturalRowsPlace {
            return Planned(
                change: .remove(item.own.row, from: rows), place: nil, isNew: false, owner: owner.naturalPlace)
        }
        guard isMap(owner), case .name(let name)? = item.naturalPlace.steps.last else { throw heldByName(item) }
        let old = try entries(of: owner)
        return Planned(
            change: .entries(place, old: old, new: old.filter { $0.name != name }), place: nil, isNew: false,
            owner: place)
    }

    private func move(
        _ item: Item, below target: Item, at position: RowPosition, section: Int?
    ) throws(EditRefusal) -> Planned {
        guard let (owner, _) = owner(of: item) else { throw EditRefusal(.root) }
        guard !target.rowPath.starts(with: item.rowPath) else { throw EditRefusal(.intoItself) }
        guard item.own.level.form == .list, let place = owner.naturalRowsPlace else { throw heldByName(item) }
        guard owner.rowPath == target.rowPath else {
            throw .conflict("an element can move only within its list; insert a copy there, then delete the element")
        }
        let row = try position.offset(in: owner, section: section, without: item.own.row)
        return Planned(
            change: .move(item.own.row, to: row, in: place), place: place.appending(.element(row)), isNew: false,
            owner: owner.naturalPlace)
    }

    private func owner(of item: Item) -> (item: Item, place: NaturalPlace)? {
        guard item.depth > 0 else { return nil }
        let owner = Item(item.steps.dropLast())
        return (owner, owner.naturalPlace)
    }

    private func heldByName(_ item: Item) -> EditRefusal {
        .conflict(
            "\(item.titlePath) is held by its name in the item above, so it can be changed, but not moved or deleted")
    }

    // MARK: Fields

    private func put(_ value: PropertyListValue, as item: Item, isExact: Bool) throws(EditRefusal) -> Planned {
        try Self.check(value)
        guard item.own.level.isDictionary(item.own.row) else { return try replace(item, with: value) }
        guard case .dictionary(var fields) = value else {
            throw .invalid("\(item.titlePath) is a dictionary, so its new fields must be one")
        }
        let old = try self.fields(of: item)
        try refuseRows(in: fields, of: item)
        if let key = list(of: item)?.keyName, fields[key] == nil, let value = old[key] {
            fields = PropertyListDictionary([.init(key: key, value: value)] + fields.entries)
        }
        return try change(item, from: old, to: isExact ? fields : fields.fitted(to: old))
    }

    private func patch(
        _ changes: PropertyListValue, of item: Item, isExact: Bool
    ) throws(EditRefusal) -> Planned {
        guard case .dictionary(let changes) = changes else {
            throw .invalid("a merge patch of an item must be a dictionary")
        }
        guard item.own.level.isDictionary(item.own.row) else {
            guard !item.own.isArray else {
                throw .invalid("\(item.titlePath) is an array, which has no fields")
            }
            return try replace(item, with: .dictionary(changes))
        }
        try refuseRows(in: changes, of: item)
        let old = try fields(of: item)
        return try change(item, from: old, to: MergePatch.merged(changes, into: old, isExact: isExact))
    }

    private func change(
        _ item: Item, from old: PropertyListDictionary, to new: PropertyListDictionary
    ) throws(EditRefusal) -> Planned {
        try Self.check(.dictionary(new))
        try list(of: item)?.check(new, of: item, from: old)
        let place = item.naturalPlace
        let before = try entries(of: item)
        var after: [NaturalChange.Entry] = []
        for entry in before {
            guard entry.value != nil else {
                after.append(entry)
                continue
            }
            if let value = new[String(utf8: entry.name.span)] { after.append(.init(name: entry.name, value: value)) }
        }
        for entry in new.entries where old[entry.key] == nil {
            after.append(.init(name: Array(entry.key.utf8), value: entry.value))
        }
        return Planned(change: .entries(place, old: before, new: after), place: place, isNew: false, owner: place)
    }

    /// Replaces an element that is neither a dictionary nor an array.
    private func replace(_ item: Item, with value: PropertyListValue) throws(EditRefusal) -> Planned {
        var new = value
        if case .dictionary(let fields) = value {
            guard fields.entries.count == 1, let title = fields["Title"] else {
                throw .invalid("\(item.titlePath) is a single value; its only field is 'Title'")
            }
            new = title
        }
        guard !item.own.isArray, !new.isDictionaryOrArray, new != .null else {
            throw .invalid("\(item.titlePath) must keep its kind; its value cannot become another list or dictionary")
        }
        let place = item.naturalPlace
        return Planned(change: .value(place, new), place: place, isNew: false, owner: place)
    }

    private func refuseRows(in fields: PropertyListDictionary, of item: Item) throws(EditRefusal) {
        let names = Set(item.own.memberNames + (item.own.childrenName.map { [$0] } ?? []))
        for entry in fields.entries where names.contains(Array(entry.key.utf8)) {
            throw .invalid(
                "'\(quoted: entry.key)' holds rows of the item, and is not a field; edit the rows themselves",
                at: JSONPointer.step(entry.key))
        }
    }

    // MARK: Content

    /// The entries of a dictionary, of which rows have no value.
    private func entries(of item: Item) throws(EditRefusal) -> [NaturalChange.Entry] {
        let bytes = item.own.level.bytes
        var entries: [NaturalChange.Entry] = []
        for field in PackedField.all(in: item.own.level.row(item.own.row).fields, of: bytes.span) {
            var value: PropertyListValue?
            do throws(PropertyListError) {
                if !field.isHole { value = try PropertyListValue(packed: bytes.span, at: field.value) }
            } catch {
                throw .conflict(error.reason)
            }
            entries.append(.init(name: Array(copying: bytes.span.extracting(field.name)), value: value))
        }
        return entries
    }

    private func fields(of item: Item) throws(EditRefusal) -> PropertyListDictionary {
        PropertyListDictionary(
            try entries(of: item).compactMap { entry in
                entry.value.map { .init(key: String(utf8: entry.name.span), value: $0) }
            })
    }

    /// Whether the rows of an item are the values of a map.
    func isMap(_ item: Item) -> Bool {
        item.depth == 0 ? kept?.isRootMap == true : item.own.level.isMap(item.own.row)
    }

    /// The list that has an item as an element.
    private func list(of item: Item) -> KeyedList? {
        guard item.depth > 0, item.own.level.form == .list else { return nil }
        return KeyedList(self, Item(item.steps.dropLast()))
    }

    /// Refuses null in a value, for no document has it.
    private static func check(_ value: PropertyListValue) throws(EditRefusal) {
        var walk = PropertyListValueWalk(value)
        var builder = PropertyListValueBuilder()
        do throws(PropertyListError) { try walk.finish(to: &builder) } catch {
            throw EditRefusal(.invalid(pointer: walk.pointer), detail: error.sentence)
        }
    }
}

extension PropertyListValue {
    var isDictionaryOrArray: Bool {
        switch self {
        case .dictionary, .array: true
        default: false
        }
    }
}

extension RowPosition {
    /// The number of rows before this place in a list of elements.
    ///
    /// - Parameter moved: the number of the row that moves, which does not count.
    func offset(in owner: Item, section: Int?, without moved: Int? = nil) throws(EditRefusal) -> Int {
        if let section, section != 0 { throw Self.noSection(section, of: 1) }
        let count = (owner.level?.rowCount ?? 0) - (moved == nil ? 0 : 1)
        guard let key else { return try offset(among: count, in: owner) }
        guard let row = owner.level?.row(withKey: Self.normalized(key).span), row != moved else {
            throw Self.noRow(key, in: owner)
        }
        return row + (isAfter ? 1 : 0) - (moved.map { $0 < row } ?? false ? 1 : 0)
    }
}
