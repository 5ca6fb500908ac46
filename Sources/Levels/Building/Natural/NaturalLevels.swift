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
    }

    mutating func remove(from base: Base) {
        rows.removeSubrange(base.row...)
        children.removeSubrange(base.row...)
        fields.removeSubrange(base.row...)
        bytes.truncate(to: base.byte)
    }
}

/// The title of a row: a text in its fields, or the JSON text of a value in them.
enum PackedTitle {
    case range(Range<Int>)
    case text(String)

    /// The title of a dictionary; nil if the value under the path is missing or no title.
    ///
    /// - Parameter path: one name, or the name of an inner dictionary and a name in it.
    init?(path: [[UInt8]], of fields: Range<Int>, in bytes: Span<UInt8>) {
        guard let first = path.first,
            var value = PackedDictionary(bytes: bytes, fields: fields).firstValue(first.span)
        else { return nil }
        if path.count > 1, let second = path.last {
            guard !Self.isMap(fields, in: bytes), let inner = PackedReader(bytes: bytes, at: value).fields,
                let found = PackedDictionary(bytes: bytes, fields: inner).firstValue(second.span)
            else { return nil }
            value = found
        }
        let reader = PackedReader(bytes: bytes, at: value)
        if let range = reader.text {
            guard range.count > 0, range.count <= TitleSurvey.longestTitle else { return nil }
            self = .range(range)
        } else if let text = reader.scalarText {
            self = .text(text)
        } else {
            return nil
        }
    }

    private static func isMap(_ fields: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        PackedField.all(in: fields, of: bytes).allSatisfy { [.hole, .array, .dictionary].contains($0.tag) }
    }

    /// The range of the title in the bytes, to which a text is appended.
    func range(in bytes: inout ByteBuffer) -> Range<Int> {
        switch self {
        case .range(let range): return range
        case .text(let text):
            let start = bytes.count
            bytes.append(text)
            return start..<bytes.count
        }
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
        guard !path.isEmpty else { return }
        let rows = map.membersBase.row..<members.rows.count
        let titles = rows.map { row in
            members.isDictionary(row)
                ? PackedTitle(path: path, of: members.rows[row].fields, in: members.bytes.span) : nil
        }
        if open.count == 1, titles.count < 2 || titles.contains(where: { $0 == nil }) { return }
        note(map, title: path, key: nil)
        for (row, title) in zip(rows, titles) {
            if let title { members.setTitle(title, of: row) }
        }
    }

    /// Notes the titles and the keys of a list or a map for the summary.
    private mutating func note(_ container: OpenContainer, title: [[UInt8]], key: [UInt8]?) {
        var name: String?
        if open.count > 1, open[open.count - 2].role == .dictionary {
            name = String(utf8: tree.fields.bytes.span.extracting(tree.fields.start(container.base.field - 1).name))
        }
        summary.note(.init(name: name, title: title, key: key), number: container.number)
    }

    /// The level of an array's elements; nil without elements.
    mutating func listLevel(of array: OpenContainer) throws(PropertyListError) -> Level? {
        let rows = array.base.row..<tree.rows.count
        guard !rows.isEmpty else { return nil }
        if reading[array.number].contains(.isList) {
            let titles = reading.titles(of: array.number)
            let key = titles.keys.first { takesKeys($0, of: rows) }
            note(array, title: titles.title, key: key)
            for row in rows where isUntitled(row) { titleElement(row, number: row - rows.lowerBound + 1, by: titles) }
        }
        return try tree.level(from: rows.lowerBound, start: array.base.start, form: .list, at: array.position)
    }

    /// Whether a row of a list is a dictionary that still needs a title.
    private func isUntitled(_ row: Int) -> Bool { tree.rows[row].title.isEmpty && !tree.rows[row].isString }

    private mutating func titleElement(_ row: Int, number: Int, by titles: RowTitles) {
        let fields = tree.rows[row].fields
        if let title = PackedTitle(path: titles.title, of: fields, in: tree.fields.bytes.span) {
            let range = title.range(in: &tree.fields.bytes)
            tree.rows[row].title = range
        } else {
            tree.rows[row].title = tree.rows[row].explicitKey ?? tree.fields.loose("\(number)")
        }
    }

    /// Gives the dictionaries of a list the keys under a name, if no two are the same text. Returns whether it did.
    private mutating func takesKeys(_ name: [UInt8], of rows: Range<Int>) -> Bool {
        var hashes: [UInt64] = []
        var keys: [(row: Int, key: PackedTitle)] = []
        for row in rows where isUntitled(row) {
            guard let key = PackedTitle(key: name, of: tree.rows[row].fields, in: tree.fields.bytes.span) else {
                continue
            }
            hashes.append(key.hash(in: tree.fields.bytes.span))
            keys.append((row, key))
        }
        hashes.sort()
        for (earlier, later) in zip(hashes, hashes.dropFirst()) where earlier == later { return false }
        for (row, key) in keys {
            let range = key.range(in: &tree.fields.bytes)
            tree.rows[row].explicitKey = range
        }
        return true
    }
}

extension PackedTitle {
    /// The key of a dictionary: a short text, or an integer; otherwise nil.
    init?(key name: [UInt8], of fields: Range<Int>, in bytes: Span<UInt8>) {
        guard let value = PackedDictionary(bytes: bytes, fields: fields).firstValue(name.span) else { return nil }
        let reader = PackedReader(bytes: bytes, at: value)
        if let range = reader.text {
            guard KeyCandidates.isKey(text: bytes.extracting(range)) else { return nil }
            self = .range(range)
        } else {
            var value = reader
            let tag = PackedTag(rawValue: value.byte())
            guard tag == .positive || tag == .negative, let text = value.scalar(tag)?.text else { return nil }
            self = .text(text)
        }
    }

    /// The hash of the text in Unicode NFC.
    func hash(in bytes: Span<UInt8>) -> UInt64 {
        switch self {
        case .text(let text): return TableHash.of(text.utf8Span.span)
        case .range(let range):
            let text = bytes.extracting(range)
            guard !ItemKey.isPlain(text) else { return TableHash.of(text) }
            let normalized = ItemKey.normalized(text)
            return TableHash.of(normalized.span)
        }
    }
}
