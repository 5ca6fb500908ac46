import DrilldownClient
import Foundation

/// A document in memory: its levels, its details and its edits.
struct MemoryDocument: Sendable {
    private var root: Item

    private struct Item: Sendable {
        var fields: Fields
        var children: [Item]

        /// - Parameters:
        ///   - value: the title of the item, or its fields, which may include `Children`. The root may also be the list
        ///     of its children.
        ///   - title: the title of the root if `value` lacks a title; nil for other items.
        init(value: FieldValue, title: String? = nil) {
            var fields = value.dictionary ?? [:]
            let children = (value.list ?? fields["Children"]?.list ?? fields["Rows"]?.list ?? [])
            (fields["Children"], fields["Rows"]) = (nil, nil)
            if fields["Title"] == nil, let title = value.text ?? title { fields["Title"] = .text(title) }
            self.fields = fields
            self.children = children.map { Item(value: $0) }
        }

        var title: String { fields["Title"]?.description ?? "" }
        var fieldsVersion: String { String(StableHash.digits(of: JSONText.bytes(of: .dictionary(fields))).prefix(8)) }

        /// Returns the rank of the item among the hits of a search; nil if it does not contain the text.
        func rank(of text: String, in names: [String]?) -> Int? {
            guard let names else {
                let title = title.folded
                guard let place = title.range(of: text) else { return nil }
                if place.lowerBound == title.startIndex { return 0 }
                return title.ranges(of: text).contains { title.isBeginOfWord($0.lowerBound) } ? 1 : 2
            }
            let searched = fields.filter { names.contains("*") || names.contains($0.name) }
            return searched.contains { $0.value.contains(text) } ? 0 : nil
        }

        /// The keys of the children. The key of a child is its field `Key`, or its title if it lacks this field. If
        /// several siblings would have the same key, all of them except the first get a number.
        var keys: [String] {
            var keys: [String] = []
            for child in children {
                let natural = child.fields["Key"]?.text ?? child.title
                let candidates = natural.isEmpty ? ["~1"] : [natural]
                let numbered = (2...children.count + 2).lazy.map { "\(natural)~\($0)" }
                keys.append((candidates + numbered).first { !keys.contains($0) } ?? natural)
            }
            return keys
        }
    }

    /// - Parameter value: the fields of the root, or the list of its children.
    init(_ value: FieldValue) { root = Item(value: value, title: "Root") }

    // MARK: Reading

    func level(at path: ItemPath) throws(Problem) -> Level {
        let item = try item(at: path)
        return try level(of: item, at: path, rows: Self.rows(of: item, at: path))
    }

    /// Returns the items below a level that contain a text, as the service orders them: titles that begin with the text,
    /// then titles with a word that does, then the rest.
    ///
    /// - Parameter fields: the names of the searched fields, `*` for all; nil for the title.
    func hits(of text: String, in fields: [String]?, below path: ItemPath) throws(Problem) -> Level {
        let wanted = text.folded
        var hits: [(rank: Int, row: Row)] = []
        func search(_ item: Item, at path: ItemPath, trail: [String]) {
            for (child, row) in zip(item.children, Self.rows(of: item, at: path)) {
                if let rank = child.rank(of: wanted, in: fields) {
                    var row = row
                    row.trail = trail
                    hits.append((rank, row))
                }
                search(child, at: row.path, trail: trail + [child.title])
            }
        }
        let item = try item(at: path)
        search(item, at: path, trail: [])
        // The sort is stable, so hits of the same rank stay in the order of the document.
        return try level(of: item, at: path, rows: hits.sorted { $0.rank < $1.rank }.map(\.row))
    }

    private static func rows(of item: Item, at path: ItemPath) -> [Row] {
        zip(item.keys, item.children).map { key, child in
            var fields = child.fields
            fields["Title"] = nil
            let version = StableHash.digits(of: "\(child.title) \(child.children.count) \(fields)".utf8)
            return Row(
                key: key, below: path, version: version, title: child.title, count: child.children.count, fields: fields
            )
        }
    }

    private func level(of item: Item, at path: ItemPath, rows: [Row]) throws(Problem) -> Level {
        var level = Level(
            title: item.title, path: path, isLeaf: item.children.isEmpty, ancestors: try ancestors(of: path), rows: rows
        )
        level.version = StableHash.digits(
            of: "\(item.title) \(level.ancestors.map(\.title)) \(rows.map { $0.id + $0.version })".utf8)
        return level
    }

    func detail(at path: ItemPath) throws(Problem) -> Detail {
        let item = try item(at: path)
        let parent = try path.parent.map { path throws(Problem) in try self.item(at: path) }
        let siblings = parent?.keys ?? [""]
        let index = siblings.firstIndex(of: path.lastKey ?? "") ?? 0
        func link(_ parent: Item?, path: ItemPath?, index: Int) -> ItemLink? {
            guard let parent, let path, parent.children.indices.contains(index) else { return nil }
            return ItemLink(title: parent.children[index].title, path: path / parent.keys[index])
        }
        var detail = Detail(
            title: item.title, path: path, fieldsVersion: ItemVersion(rawValue: item.fieldsVersion),
            count: item.children.count, ancestors: try ancestors(of: path),
            position: .init(index: index, count: siblings.count),
            previous: link(parent, path: path.parent, index: index - 1),
            next: link(parent, path: path.parent, index: index + 1), firstChild: link(item, path: path, index: 0),
            lastChild: link(item, path: path, index: item.children.count - 1), fields: item.fields)
        detail.version = ItemVersion(rawValue: StableHash.digits(of: LevelText.bytes(of: detail)))
        return detail
    }

    private func ancestors(of path: ItemPath) throws(Problem) -> [ItemLink] {
        var links: [ItemLink] = []
        for depth in 0..<path.depth {
            let above = ItemPath(path.keys.prefix(depth))
            links.append(ItemLink(title: try item(at: above).title, path: above))
        }
        return links
    }

    private func item(at path: ItemPath) throws(Problem) -> Item {
        var item = root
        for (depth, key) in path.keys.enumerated() {
            guard let index = item.keys.firstIndex(of: key) else {
                throw .noSuchItem(key, in: ItemPath(path.keys.prefix(depth)))
            }
            item = item.children[index]
        }
        return item
    }

    // MARK: Editing

    /// Changes an item in place.
    private mutating func change<Outcome>(
        at path: ItemPath, _ body: (inout Item) throws(Problem) -> Outcome
    ) throws(Problem) -> Outcome {
        func change(_ item: inout Item, depth: Int) throws(Problem) -> Outcome {
            guard depth < path.depth else { return try body(&item) }
            guard let index = item.keys.firstIndex(of: path.keys[depth]) else {
                throw .noSuchItem(path.keys[depth], in: ItemPath(path.keys.prefix(depth)))
            }
            return try change(&item.children[index], depth: depth + 1)
        }
        return try change(&root, depth: 0)
    }

    /// Performs an edit. Returns the path that the item has after the edit; nil if the item was deleted.
    mutating func perform(_ edit: Edit) throws(Problem) -> ItemPath? {
        try edit.checkPaths()
        switch edit.action {
        case .insert(let value, let level, let position, _):
            return try insert(Item(value: value), into: level, at: position)
        case .put(let fields, let path):
            return try update(path) { item in
                let key = item.fields["Key"]
                item.fields = fields
                if fields["Key"] == nil { item.fields["Key"] = key }
            }
        case .patch(let changes, let path):
            return try update(path) { item in
                for (name, value) in changes { item.fields[name] = value == .null ? .none : value }
            }
        case .move(let path, let level, let position, _):
            guard !level.starts(with: path) else { throw .conflict("An item cannot be moved below itself.") }
            let moved = try item(at: path)
            _ = try perform(.delete(path))
            return try insert(moved, into: level, at: position)
        case .delete(let path):
            guard let parent = path.parent, let key = path.lastKey else {
                throw .conflict("The root cannot be deleted.")
            }
            _ = try item(at: path)
            try change(at: parent) { item in
                if let index = item.keys.firstIndex(of: key) { item.children.remove(at: index) }
            }
            return nil
        }
    }

    private mutating func update(_ path: ItemPath, _ body: (inout Item) -> Void) throws(Problem) -> ItemPath {
        guard let parent = path.parent, let key = path.lastKey else {
            try change(at: path) { item in body(&item) }
            return path
        }
        let index = try item(at: parent).keys.firstIndex(of: key) ?? 0
        try change(at: path) { item in body(&item) }
        return parent / (try item(at: parent).keys[index])
    }

    private mutating func insert(
        _ new: Item, into level: ItemPath, at position: Edit.Position
    ) throws(Problem) -> ItemPath {
        let index = try change(at: level) { item throws(Problem) in
            let index: Int? =
                switch position {
                case .first: 0
                case .last: item.children.count
                case .index(let index): (0...item.children.count).contains(index) ? index : nil
                case .before(let key): item.keys.firstIndex(of: key)
                case .after(let key): item.keys.firstIndex(of: key).map { $0 + 1 }
                }
            guard let index else { throw .conflict("The level has no row at '\(position.text)'.") }
            item.children.insert(new, at: index)
            return index
        }
        return level / (try item(at: level).keys[index])
    }
}

extension String {
    /// The text without case and accents.
    fileprivate var folded: String { folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) }

    /// Returns whether neither a letter nor a digit precedes a position.
    fileprivate func isBeginOfWord(_ position: Index) -> Bool {
        position == startIndex || !(self[index(before: position)].isLetter || self[index(before: position)].isNumber)
    }
}

extension FieldValue {
    /// Returns whether a text, or a text in a list, contains a folded text.
    fileprivate func contains(_ text: String) -> Bool {
        (list ?? [self]).contains { $0.text?.folded.contains(text) == true }
    }
}

extension Problem {
    fileprivate static func noSuchItem(_ key: String, in path: ItemPath) -> Problem {
        Problem(
            .noSuchItem, title: "No such item", status: 404, detail: "There is no '\(key)' in \(path).",
            members: ["nearest": .text(path.levelLink)])
    }

    fileprivate static func conflict(_ sentence: String) -> Problem {
        Problem(.conflict, title: "Conflict", status: 409, detail: sentence)
    }
}
