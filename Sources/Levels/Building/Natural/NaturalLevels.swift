internal import Bytes
internal import PropertyLists

/// The rows of open dictionaries, as a stack.
struct Members: ~Copyable {
    private(set) var bytes = ByteBuffer()
    private(set) var rows: [PendingRow] = []
    private var children: [Level?] = []
    /// The number of the field that each row stands for.
    private var fields: [Int] = []

    struct Base {
        fileprivate let byte: Int
        let row: Int
    }

    var base: Base { Base(byte: bytes.count, row: rows.count) }

    /// Adds a row for the value of the last field, whose name is the title.
    ///
    /// - Parameter packed: the row's own fields, as a range of the bytes of `source`.
    mutating func add(
        _ packed: Range<Int>, of source: borrowing PackedFields, level: Level?, place: PackedPosition
    ) {
        let start = bytes.count
        source.bytes.copy(packed, to: &bytes)
        let end = bytes.count
        let field = source.count - 1
        source.bytes.copy(source.start(field).name, to: &bytes)
        rows.append(PendingRow(fields: start..<end, title: end..<bytes.count, place: place))
        children.append(level)
        fields.append(field)
    }

    /// Removes the rows from `base` on whose fields are not wanted.
    mutating func keep(from base: Base, where isWanted: (Int) -> Bool) {
        let kept = (base.row..<rows.count).filter { isWanted(fields[$0]) }
        guard kept.count < rows.count - base.row else { return }
        rows.replaceSubrange(base.row..., with: kept.map { rows[$0] })
        children.replaceSubrange(base.row..., with: kept.map { children[$0] })
        fields.replaceSubrange(base.row..., with: kept.map { fields[$0] })
    }

    /// The levels below the rows from `base` on; empty if all are leaves.
    func children(from base: Base) -> [Level?] {
        children[base.row...].contains { $0 != nil } ? Array(children[base.row...]) : []
    }

    /// Whether a row is a dictionary, and no array.
    func isDictionary(_ row: Int) -> Bool { !(rows[row].fields.isEmpty && children[row]?.form == .list) }

    /// Gives a row a title; its name becomes its key.
    mutating func setTitle(_ title: PackedTitle, of row: Int) {
        rows[row].explicitKey = rows[row].title
        let range = title.range(in: &bytes)
        rows[row].title = range
        rows[row].titleSource = title.source
    }

    mutating func remove(from base: Base) {
        rows.removeSubrange(base.row...)
        children.removeSubrange(base.row...)
        fields.removeSubrange(base.row...)
        bytes.truncate(to: base.byte)
    }
}

/// Levels, and the titles and keys of their rows.
extension NaturalTreeBuilder {
    /// The level of a dictionary: the rows under its children name, or the rows among its values.
    mutating func level(of dictionary: OpenContainer) throws(PropertyListError) -> Level? {
        guard !hasChildren(dictionary) else { return dictionary.level }
        let base = dictionary.membersBase
        guard members.rows.count > base.row else { return nil }
        if reading[dictionary.number].contains(.isMap) { titleMembers(of: dictionary) }
        // Outside of this builder while `tree` changes.
        var members = Members()
        swap(&members, &self.members)
        defer { swap(&members, &self.members) }
        let level = try tree.level(
            of: members.rows.span.extracting(base.row..<members.rows.count), in: members.bytes.span,
            children: members.children(from: base), form: .members, at: dictionary.position)
        members.remove(from: base)
        return level
    }

    /// Whether a dictionary has an array under a children name that no later value of the same name has replaced.
    func hasChildren(_ dictionary: OpenContainer) -> Bool {
        dictionary.childrenField.map { !tree.fields.start($0).isOverridden } ?? false
    }

    /// Removes the rows of values that later values of the same name have replaced.
    mutating func dropRepeatedMembers(of dictionary: OpenContainer) {
        guard dictionary.hasRepeatedKeys else { return }
        var overridden: Set<Int> = []
        for field in dictionary.base.field..<tree.fields.count where tree.fields.start(field).isOverridden {
            overridden.insert(field)
        }
        members.keep(from: dictionary.membersBase) { !overridden.contains($0) }
    }

    /// Titles the dictionaries of a map. The values of the document itself are titled only if each has a title.
    private mutating func titleMembers(of map: OpenContainer) {
        let path = reading.titles(of: map.number).title
        let rows = map.membersBase.row..<members.rows.count
        if open.count == 1 {
            let isTitled = rows.count > 1 && !rows.contains { memberTitle($0, by: path) == nil }
            guard isTitled || keepsRootMap && rows.allSatisfy({ members.isDictionary($0) }) else { return }
            isRootMap = true
        }
        note(map, title: reading.givenTitles.map { Array($0.prefix(1)) } ?? path, key: nil)
        for row in rows {
            let title = reading.givenTitles.map { memberTitle(row, under: $0) } ?? memberTitle(row, by: path)
            if let title { members.setTitle(title, of: row) }
        }
    }

    private func memberTitle(_ row: Int, by path: [[UInt8]]) -> PackedTitle? {
        guard members.isDictionary(row) else { return nil }
        return PackedTitle(path: path, of: members.rows[row].fields, in: members.bytes.span)
    }

    private func memberTitle(_ row: Int, under names: [[UInt8]]) -> PackedTitle? {
        guard members.isDictionary(row) else { return nil }
        return PackedTitle(under: names, of: members.rows[row].fields, in: members.bytes.span)
    }

    /// Notes the titles and the keys of a list or a map for the summary.
    private mutating func note(_ container: OpenContainer, title: [[UInt8]], key: [UInt8]?) {
        var name: Range<Int>?
        if open.count > 1, open[open.count - 2].role == .dictionary {
            name = tree.fields.start(container.base.field - 1).name
        }
        var hash = TableHash.of(UInt64(reading.titleNumber(of: container.number)))
        if let name { hash = TableHash.of(hash ^ TableHash.of(tree.fields.bytes.span.extracting(name))) }
        if let key { hash = TableHash.of(hash &+ TableHash.of(key.span)) }
        guard !summary.hasNoted(hash, before: container.number) else { return }
        let text = name.map { String(utf8: tree.fields.bytes.span.extracting($0)) }
        summary.note(.init(name: text, title: title, key: key), number: container.number)
    }

    /// The level of an array's elements; nil without elements.
    mutating func listLevel(of array: OpenContainer) throws(PropertyListError) -> Level? {
        let rows = array.base.row..<tree.rows.count
        guard !rows.isEmpty else { return nil }
        if reading[array.number].contains(.isList) {
            let titles = reading.titles(of: array.number)
            let given = reading.givenKeys
            if let given { takeKeys(under: given, of: rows) }
            let key = given == nil ? titles.keys.first { takeDifferentKeys($0, of: rows) } : nil
            note(
                array, title: reading.givenTitles.map { Array($0.prefix(1)) } ?? titles.title,
                key: given?.first ?? key)
            for row in rows where isUntitled(row) { titleElement(row, number: row - rows.lowerBound + 1, by: titles) }
        }
        return try tree.level(from: rows.lowerBound, start: array.base.start, form: .list, at: array.position)
    }

    /// Whether a row of a list is a dictionary that still needs a title.
    private func isUntitled(_ row: Int) -> Bool { tree.rows[row].title.isEmpty && !tree.rows[row].isString }

    private mutating func titleElement(_ row: Int, number: Int, by titles: RowTitles) {
        let fields = tree.rows[row].fields
        let found =
            if let names = reading.givenTitles {
                PackedTitle(under: names, of: fields, in: tree.fields.bytes.span)
            } else {
                PackedTitle(path: titles.title, of: fields, in: tree.fields.bytes.span)
            }
        if let title = found {
            let range = title.range(in: &tree.fields.bytes)
            tree.rows[row].title = range
            tree.rows[row].titleSource = title.source
        } else {
            // Not the range of the key: no field gives the title.
            let title = tree.rows[row].explicitKey.map { String(utf8: tree.fields.bytes.span.extracting($0)) }
            tree.rows[row].title = tree.fields.loose(title ?? "\(number)")
        }
    }

    /// Gives the dictionaries of a list the keys under a name, if no two are the same text. Returns whether it did.
    private mutating func takeDifferentKeys(_ name: [UInt8], of rows: Range<Int>) -> Bool {
        let end = tree.fields.bytes.count
        var hashes: [UInt64] = []
        hashes.reserveCapacity(rows.count)
        takeKeys(under: [name], of: rows) { key, bytes in hashes.append(key.hash(in: bytes)) }
        hashes.sort()
        for (earlier, later) in zip(hashes, hashes.dropFirst()) where earlier == later {
            for row in rows { (tree.rows[row].explicitKey, tree.rows[row].keySource) = (nil, -1) }
            tree.fields.bytes.truncate(to: end)
            return false
        }
        return true
    }

    /// Gives the dictionaries of a list the keys under the first of several names that each of them has.
    private mutating func takeKeys(
        under names: [[UInt8]], of rows: Range<Int>, note: (PackedTitle, Span<UInt8>) -> Void = { _, _ in }
    ) {
        for row in rows where isUntitled(row) {
            let key = PackedTitle(key: names, of: tree.rows[row].fields, in: tree.fields.bytes.span)
            guard let key else { continue }
            note(key, tree.fields.bytes.span)
            let range = key.range(in: &tree.fields.bytes)
            (tree.rows[row].explicitKey, tree.rows[row].keySource) = (range, key.source)
        }
    }
}
