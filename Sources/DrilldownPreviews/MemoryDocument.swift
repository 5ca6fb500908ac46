import DrilldownClient
import Foundation

/// A document in memory: its levels, its details and its edits.
struct MemoryDocument: Sendable {
    private var root: MemoryItem
    /// The stored values of a settings page, by the keys of the controls.
    private var values: Fields = [:]

    /// - Parameters:
    ///   - value: the fields of the root, the list of its children, or a settings page.
    ///   - pages: the child pages of a settings page, by name.
    init(_ value: FieldValue, pages: [String: FieldValue]) {
        if let page = value.dictionary, page["PreferenceSpecifiers"] != nil {
            root = MemoryItem(settingsPage: page, pages: pages)
        } else {
            root = MemoryItem(value.list.map { ["Children": .list($0)] } ?? value)
        }
    }

    /// Returns the title of an item; that of the root is `Root` if the document has none.
    private func title(of item: MemoryItem, at path: ItemPath) -> String {
        path.isRoot && item.fields["Title"] == nil ? "Root" : item.title
    }

    // MARK: Reading

    /// Checks that an item exists.
    func check(_ path: ItemPath) throws(Problem) { _ = try item(at: path) }

    /// Returns a page of a level, without its version and the link to the next page, and the cursor of the next page.
    func level(at path: ItemPath, by query: MemoryQuery = MemoryQuery()) throws(Problem) -> (Level, cursor: String?) {
        let item = try item(at: path)
        let listing: MemoryListing
        if let outline = query.outline {
            listing = try MemoryListing(
                try self.outline(outline.depth, outline.paths, of: item, at: path), of: nil, by: MemoryQuery())
        } else if let text = query.search {
            listing = try MemoryListing(hits(of: text, by: query, below: item, at: path), of: nil, by: query)
        } else {
            listing = try MemoryListing(rows(of: item, at: path), of: item, by: query)
        }
        let start = start(of: query, in: listing)
        guard start <= listing.rows.count else {
            throw .badParameter(
                "start", "'start' must be a whole number from 0 to \(listing.rows.count), the number of rows.")
        }
        let page = listing.rows[start...].prefix(query.limit)
        let level = Level(
            title: title(of: item, at: path), path: path, isLeaf: item.isLeaf, ancestors: try ancestors(of: path),
            count: listing.rows.count, start: start, sections: listing.sections,
            rows: page.map { $0.shown(query.fields) }, error: item.error)
        guard page.endIndex < listing.rows.count else { return (level, nil) }
        // Eight rows, so that the next page begins in the right place after some of them were removed.
        let last = page.suffix(8).reversed().map(\.row.path.levelLink)
        return (level, cursor: ([String(page.endIndex)] + last).joined(separator: " "))
    }

    private func start(of query: MemoryQuery, in listing: MemoryListing) -> Int {
        guard let after = query.after else { return query.start }
        for link in after {
            if let position = listing.rows.firstIndex(where: { $0.row.path.levelLink == link }) { return position + 1 }
        }
        return min(query.start, listing.rows.count)
    }

    /// Returns the rows of an item's level, in the order of the document.
    private func rows(of item: MemoryItem, at path: ItemPath) -> [MemoryRow] {
        let keys = item.keys
        return item.children.indices.map { index in
            let child = item.children[index]
            var row = Row(
                key: keys[index], below: path, title: child.title, count: child.children.count,
                control: item.control(of: index, values: values), error: child.error)
            row.isLeaf = child.isLeaf
            return MemoryRow(row: row, item: child)
        }
    }

    /// Returns the rows of a level that contain a text, and those of all levels below, the best first.
    private func hits(of text: String, by query: MemoryQuery, below item: MemoryItem, at path: ItemPath) -> [MemoryRow]
    {
        var hits: [[MemoryRow]] = [[], [], []]
        func search(_ item: MemoryItem, at path: ItemPath, trail: [String]) {
            for var row in rows(of: item, at: path) {
                let ranks = row.texts(in: query.searchedFields).compactMap { $0.folded.rank(of: text) }
                row.row.trail = trail
                if let rank = ranks.first { hits[query.isRanked ? rank : 0].append(row) }
                search(row.item, at: row.row.path, trail: trail + [row.row.title])
            }
        }
        search(item, at: path, trail: [])
        return hits.flatMap(\.self)
    }

    /// Returns the rows of an item's level in its own order and sections.
    private func ownListing(of item: MemoryItem, at path: ItemPath) throws(Problem) -> MemoryListing {
        try MemoryListing(rows(of: item, at: path), of: item, by: MemoryQuery())
    }

    /// Returns the rows of an item's level, each followed by the rows below it if it is open.
    ///
    /// - Parameters:
    ///   - depth: the number of open levels.
    ///   - paths: the opened items, as paths below the item.
    private func outline(
        _ depth: Int, _ paths: [ItemPath], of item: MemoryItem, at path: ItemPath, indent: Int = 0
    ) throws(Problem) -> [MemoryRow] {
        // A path that leads nowhere opens nothing.
        let paths = paths.filter { item.contains($0.keys[...]) }
        var all: [MemoryRow] = []
        let siblings = try ownListing(of: item, at: path).rows
        for (number, var row) in siblings.enumerated() {
            let below = paths.filter { $0.keys.first == row.row.key }.map { ItemPath($0.keys.dropFirst()) }
            row.row.indent = indent
            row.row.isFirst = number == 0
            row.row.isLast = number == siblings.count - 1
            row.row.isExpanded = row.row.count > 0 && (depth > 1 || !below.isEmpty)
            all.append(row)
            guard row.row.isExpanded else { continue }
            all += try outline(max(depth - 1, 1), below, of: row.item, at: row.row.path, indent: indent + 1)
        }
        return all
    }

    func detail(at path: ItemPath) throws(Problem) -> Detail {
        let item = try item(at: path)
        let children = try ownListing(of: item, at: path).rows
        func link(_ row: MemoryRow?) -> ItemLink? { row.map { ItemLink(title: $0.row.title, path: $0.row.path) } }
        var detail = Detail(
            title: title(of: item, at: path), path: path, fieldsVersion: ItemVersion(rawValue: item.fieldsVersion),
            count: children.count, ancestors: try ancestors(of: path), firstChild: link(children.first),
            lastChild: link(children.last), fields: item.fields, error: item.error)
        detail.isLeaf = item.isLeaf
        if let above = path.parent {
            let parent = try self.item(at: above)
            let siblings = try ownListing(of: parent, at: above)
            let index = siblings.rows.firstIndex { $0.item.id == item.id } ?? 0
            detail.position = Detail.Position(
                index: index, count: siblings.rows.count, section: siblings.sectionNumber(at: index))
            detail.control = siblings.rows[index].row.control
            detail.previous = index > 0 ? link(siblings.rows[index - 1]) : nil
            detail.next = link(siblings.rows.dropFirst(index + 1).first)
        }
        detail.version = ItemVersion(rawValue: Version.text(of: detail))
        return detail
    }

    private func ancestors(of path: ItemPath) throws(Problem) -> [ItemLink] {
        var links: [ItemLink] = []
        for depth in 0..<path.depth {
            let above = ItemPath(path.keys.prefix(depth))
            links.append(ItemLink(title: title(of: try item(at: above), at: above), path: above))
        }
        return links
    }

    private func item(at path: ItemPath) throws(Problem) -> MemoryItem {
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
        at path: ItemPath, _ body: (inout MemoryItem) throws(Problem) -> Outcome
    ) throws(Problem) -> Outcome {
        func change(_ item: inout MemoryItem, depth: Int) throws(Problem) -> Outcome {
            guard depth < path.depth else { return try body(&item) }
            guard let index = item.keys.firstIndex(of: path.keys[depth]) else {
                throw .noSuchItem(path.keys[depth], in: ItemPath(path.keys.prefix(depth)))
            }
            return try item.change(index) { child throws(Problem) in try change(&child, depth: depth + 1) }
        }
        return try change(&root, depth: 0)
    }

    /// Returns the path of an item, wherever edits have moved it; nil if it does not exist any more.
    func path(of id: UUID) -> ItemPath? {
        func search(_ item: MemoryItem, at path: ItemPath) -> ItemPath? {
            if item.id == id { return path }
            for (key, child) in zip(item.keys, item.children) {
                if let found = search(child, at: path / key) { return found }
            }
            return nil
        }
        return search(root, at: .root)
    }

    /// Returns whether a sibling has the natural key of the item that an edit changes.
    func sharesKey(_ edit: Edit) -> Bool {
        switch edit.action {
        case .insert: return false
        case .put(_, let path), .patch(_, let path), .move(let path, _, _, _), .delete(let path):
            do throws(Problem) {
                let key = try item(at: path).naturalKey
                guard let level = path.parent else { return false }
                return try item(at: level).children.filter { $0.naturalKey == key }.count > 1
            } catch {
                return false
            }
        }
    }

    /// Performs an edit. Returns the identity of the item.
    mutating func perform(_ edit: Edit) throws(Problem) -> UUID {
        try edit.checkPaths()
        if root.isSpecifier { return try set(edit) }
        switch edit.action {
        case .insert(let value, let level, let position, let section):
            return try insert(MemoryItem(value), into: level, at: position, section: section)
        case .put(let fields, let path):
            do { _ = try item(at: path) } catch { return try make(fields, at: path, missing: error) }
            return try update(path) { item in
                var fields = fields
                if fields["Key"] == nil { fields["Key"] = item.fields["Key"] }
                for name in item.fields.names where fields[name] == nil { item.fields[name] = nil }
                for (name, value) in fields { item.fields[name] = value.keepingTypes(of: item.fields[name]) }
            }
        case .patch(let changes, let path):
            return try update(path) { item in
                for (name, value) in changes {
                    item.fields[name] = value == .null ? .none : value.keepingTypes(of: item.fields[name])
                }
            }
        case .move(let path, let level, let position, let section):
            guard !level.starts(with: path) else { throw .conflict("An item cannot be moved below itself.") }
            let moved = try item(at: path)
            try remove(path)
            return try insert(moved, into: level, at: position, section: section)
        case .delete(let path):
            let removed = try item(at: path)
            try remove(path)
            return removed.id
        }
    }

    /// Stores the value of a setting.
    private mutating func set(_ edit: Edit) throws(Problem) -> UUID {
        guard case .patch(let changes, let path) = edit.action, changes.names == ["Value"],
            let value = changes["Value"],
            let page = path.parent, var control = try detail(at: path).control, let key = control.key
        else { throw .conflict("Of a settings page, only the values of its controls can be changed.") }
        if control.choice != nil {
            let group = rows(of: try item(at: page), at: page).compactMap(\.row.control).filter { $0.key == key }
            control.options = group.compactMap { $0.choice.map { Control.Option(title: "", value: $0) } }
        }
        values[key] = value == .null ? .none : try control.accepted(value).keepingTypes(of: control.value)
        return try item(at: path).id
    }

    private mutating func update(_ path: ItemPath, _ body: (inout MemoryItem) -> Void) throws(Problem) -> UUID {
        let control = try detail(at: path).control
        return try change(at: path) { item throws(Problem) in
            let old = item.fields
            body(&item)
            for name in item.fields.names where MemoryItem.structure.contains(name) {
                throw .invalid("'\(name)' is structure, which an edit of fields cannot change.")
            }
            if item.fields.names != ["Title"] { item.isText = false }
            if let control, let value = item.fields["Value"], value != old["Value"] {
                item.fields["Value"] = try control.accepted(value)
            }
            return item.id
        }
    }

    /// Makes the item that a `put` names.
    private mutating func make(_ fields: Fields, at path: ItemPath, missing: Problem) throws(Problem) -> UUID {
        guard let level = path.parent, let key = path.lastKey else { throw missing }
        var item = MemoryItem(.dictionary(fields))
        if item.naturalKey != key {
            guard fields["Key"] == nil else { throw .invalid("'Key' must be the key of the path, '\(key)'.") }
            item.fields["Key"] = .text(key)
        }
        return try insert(item, into: level, at: .last, section: nil)
    }

    private mutating func remove(_ path: ItemPath) throws(Problem) {
        guard let parent = path.parent, let key = path.lastKey else { throw .conflict("The root cannot be deleted.") }
        try change(at: parent) { item throws(Problem) in
            guard let index = item.keys.firstIndex(of: key) else { throw .noSuchItem(key, in: parent) }
            item.removeChild(at: index)
        }
    }

    private mutating func insert(
        _ new: MemoryItem, into level: ItemPath, at position: Edit.Position, section: Int?
    ) throws(Problem) -> UUID {
        try change(at: level) { item throws(Problem) in
            if position != .last, item.fields["SortBy"] != nil || item.fields["GroupBy"] != nil {
                throw .conflict("The level has an order of its own, so 'at' must be last.")
            }
            if let key = new.fields["Key"]?.text, item.keys.contains(key) {
                throw .conflict("The level has a row with the key '\(key)'.")
            }
            if let section, !(0..<max(item.sections.count, 1)).contains(section) {
                throw .badParameter("section", "The level has no section \(section).")
            }
            guard item.insert(new, at: position, section: section) != nil else {
                let sentence = "The level has no row at '\(position.text)'."
                if case .index = position { throw .badParameter("at", sentence) }
                throw .conflict(sentence)
            }
            return new.id
        }
    }
}

extension MemoryItem {
    /// Returns whether a path leads to an item below this one.
    fileprivate func contains(_ keys: ArraySlice<String>) -> Bool {
        guard let key = keys.first else { return true }
        return self.keys.firstIndex(of: key).map { children[$0].contains(keys.dropFirst()) } ?? false
    }
}

extension MemoryRow {
    /// The maximum length of a text that a row shows without being asked, in bytes.
    private static let longestText = 256

    /// Returns the row with the fields that a query selects.
    ///
    /// - Parameter names: the names, `*` for all fields; nil for the usual ones.
    fileprivate func shown(_ names: [String]?) -> Row {
        var row = row
        switch names {
        case nil: row.fields = Fields(item.isText ? [] : item.fields.filter(Self.isUsual).map { ($0.name, $0.value) })
        case ["*"]:
            row.fields = item.fields
            row.fieldsVersion = ItemVersion(rawValue: item.fieldsVersion)
        case let names?:
            for name in names {
                row.fields[name] = item.isText && name != "Title" ? .none : item.fields.value(along: name)
            }
        }
        row.version = Version.text(of: row)
        return row
    }

    private static func isUsual(_ field: Fields.Element) -> Bool {
        switch field.value {
        case .text(let text): field.name != "Title" && field.name != "Key" && text.utf8.count <= longestText
        case .integer, .unsigned, .real, .boolean: field.name != "Title"
        case .list, .dictionary, .null: false
        }
    }
}

/// The versions of a service in memory, which holds them only in this process.
enum Version {
    /// Returns text that is the same for equal values.
    static func text(of content: some Hashable) -> String { String(UInt(bitPattern: content.hashValue), radix: 36) }
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

    fileprivate static func invalid(_ sentence: String) -> Problem {
        Problem(.invalidContent, title: "Invalid content", status: 422, detail: sentence)
    }
}
