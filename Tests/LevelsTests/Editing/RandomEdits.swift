import PropertyLists

@testable import Levels
@testable import TestDocuments

/// Random edits, done to a tree and to the document as a plain value.
struct RandomEdits {
    private(set) var tree: Level
    private(set) var document: EditableDocument
    private var random: RandomDocument
    private var made = 1_000_000

    /// Most documents are small and plain, since each edit builds one anew: long levels have tests of their own.
    private let isSmall: Bool
    private var itemLimit: Int { isSmall ? 8 : 40 }

    /// Begins with a random document.
    init(seed: UInt64, _ contents: RandomDocument.Contents) throws {
        random = RandomDocument(seed: seed, contents)
        isSmall = seed % 10 != 0
        (document, tree) = (EditableDocument(.array([])), .empty)
        repeat {
            let value = random.document()
            document = EditableDocument(try (isSmall ? value.withPlainFields : value).tree().document.told(0))
            tree = try document.value.tree().document
        } while EditableDocument.Rows(of: document.value).sections.isEmpty || tree.fullItemCount > itemLimit
    }

    /// The result of an edit.
    struct Outcome {
        let name: String
        /// The document with the edit; nil if a rule forbids it.
        let tree: Level?
        let refusal: TreeError?
        let document: EditableDocument
        /// How many levels may be new.
        let newLevels: Int
    }

    /// Makes one edit without doing it.
    mutating func next() throws -> Outcome {
        let path = randomPath()
        if tree.fullItemCount > itemLimit, !path.isEmpty, random.generator.one(in: 2) {
            return removal(of: Array(path.prefix(1)))
        }
        switch random.generator.below(8) {
        case 0, 1: return try insertion(below: path)
        case 2 where !path.isEmpty: return removal(of: path)
        case 3 where !path.isEmpty: return try replacement(of: path, keepsLevel: false)
        case 4 where !path.isEmpty: return try replacement(of: path, keepsLevel: true)
        case 5 where !path.isEmpty: return move(path, below: Array(path.dropLast()))
        case 6 where !path.isEmpty: return move(path, below: randomPath())
        case 7: return try exchange(below: path)
        default: return try insertion(below: path)
        }
    }

    /// Does an edit.
    mutating func take(_ outcome: Outcome) {
        guard let tree = outcome.tree else { return }
        self.tree = tree
        document = outcome.document
    }

    /// Whether the document has grown so that another one is cheaper.
    var isLarge: Bool { tree.fullItemCount > 2 * itemLimit }

    // MARK: Kinds

    private mutating func insertion(below path: [Int]) throws -> Outcome {
        let item = Item(path, in: tree)
        guard let place = randomPlace(in: item, without: nil) else {
            return try insertion(below: Array(path.dropLast()))
        }
        let (items, rows) = try randomItems(1 + random.generator.below(3), depth: 1)
        var document = document
        document.changeRows(below: path) { $0.sections[place.section].insert(contentsOf: items, at: place.offset) }
        return outcome("insertion below \(path) at \(place)", document, levels: path.count + 2, rows) {
            (draft) throws(TreeError) in
            for (number, row) in rows.enumerated() {
                let place = RowPlace(below: item, section: place.section, offset: place.offset + number)
                try draft.insert(ItemDraft(new: row), at: place)
            }
        }
    }

    private func removal(of path: [Int]) -> Outcome {
        var document = document
        document.changeRows(below: Array(path.dropLast())) { rows in _ = rows.remove(path[path.count - 1]) }
        return outcome("removal of \(path)", document, levels: path.count + 1, []) { (draft) throws(TreeError) in
            _ = try draft.remove(path)
        }
    }

    private mutating func replacement(of path: [Int], keepsLevel: Bool) throws -> Outcome {
        let old = document.item(path)
        var (items, rows) = try randomItems(1, depth: keepsLevel ? 0 : 1)
        if random.generator.one(in: 3), case .dictionary(let entries) = old, !keepsLevel {
            // Another field, and the rest as it is.
            let note = Value.Entry("Note", random.value(depth: 0))
            (items, rows) = try Value.array([.dictionary(entries.filter { $0.key != note.key } + [note])]).rows()
        }
        let (new, source) = (items[0], rows[0])
        let changed = keepsLevel ? new.withStructure(of: old) : new
        var document = document
        document.change(path) { $0 = changed }
        let name = "replacement of \(path)\(keepsLevel ? " above its level" : "")"
        return outcome(name, document, levels: path.count + 1, rows) { (draft) throws(TreeError) in
            try draft.replace(path, with: source, keepsLevel: keepsLevel)
        }
    }

    private mutating func move(_ path: [Int], below other: [Int]) -> Outcome {
        let item = Item(path, in: tree)
        let isWithin = Array(path.dropLast()) == other
        var target = other
        if target.starts(with: path) { target = [] }
        let above = Item(target, in: tree)
        let isSame = Array(path.dropLast()) == target
        guard let place = randomPlace(in: above, without: isSame ? path[path.count - 1] : nil) else {
            return removal(of: path)
        }
        var document = document
        var moved = Value.array([])
        document.changeRows(below: Array(path.dropLast())) { moved = $0.remove(path[path.count - 1]) }
        let last = path.count - 1
        if target.count > last, target[..<last] == path[..<last], target[last] > path[last] { target[last] -= 1 }
        document.changeRows(below: target) { $0.sections[place.section].insert(moved, at: place.offset) }
        let levels = path.count + target.count + 3
        return outcome(
            "move\(isWithin ? " within" : "") of \(path) to \(place) below \(target)", document, levels: levels, []
        ) {
            (draft) throws(TreeError) in
            try draft.move(
                path, to: RowPlace(below: above, section: place.section, offset: place.offset, without: item))
        }
    }

    private mutating func exchange(below path: [Int]) throws -> Outcome {
        guard document.item(path).holderName != "Sections", !document.item(path).isArray || path.isEmpty else {
            return try insertion(below: path)
        }
        let (items, rows) = try randomItems(random.generator.below(4), depth: 1)
        let level = rows.first?.level ?? .empty
        var document = document
        document.change(path) { item in
            guard case .dictionary(var entries) = item, let name = item.holderName else {
                let children = Value.Entry("Children", .array(items))
                if case .dictionary(let entries) = item {
                    item = .dictionary(entries + [children])
                } else {
                    item = item.isArray ? .array(items) : .dictionary([Value.Entry("Title", item), children])
                }
                return
            }
            entries = entries.map { $0.key == name ? Value.Entry(name, .array(items)) : $0 }
            item = .dictionary(entries)
        }
        return outcome("exchange of the level below \(path)", document, levels: path.count + 2, rows) {
            (draft) throws(TreeError) in
            try draft.exchangeLevel(below: path, with: level)
        }
    }

    private func outcome(
        _ name: String, _ document: EditableDocument, levels: Int, _ sources: [Item.Step],
        _ edit: (inout LevelDraft) throws(TreeError) -> Void
    ) -> Outcome {
        let below = sources.reduce(0) {
            $0 + ($1.level.child($1.row).map { LevelComparison.levels(of: $0).count } ?? 0)
        }
        do {
            let tree = try tree.edited(edit)
            return Outcome(
                name: name, tree: tree, refusal: nil, document: document, newLevels: levels + below)
        } catch {
            return Outcome(name: name, tree: nil, refusal: error, document: document, newLevels: 0)
        }
    }

    // MARK: Choices

    private mutating func randomPath() -> [Int] {
        var path: [Int] = []
        var level = tree.child(0)
        while let current = level, current.count > 0, !random.generator.one(in: 3) || path.isEmpty {
            let row = random.generator.below(current.count)
            path.append(row)
            level = current.child(row)
        }
        return random.generator.one(in: 6) ? Array(path.dropLast()) : path
    }

    /// A place below an item; nil without a section for a row.
    private mutating func randomPlace(in item: Item, without row: Int?) -> (section: Int, offset: Int)? {
        var counts = item.level.map { $0.form == .rows ? [$0.rowCount] : $0.allSections.map(\.count) } ?? [0]
        guard !counts.isEmpty else { return nil }
        if let row, let level = item.level {
            let section = level.allSections.lastIndex { $0.start <= row && $0.count > 0 } ?? 0
            counts[section] -= 1
        }
        let section = random.generator.below(counts.count)
        return (section, random.generator.below(counts[section] + 1))
    }

    private mutating func randomItems(
        _ count: Int, depth: Int
    ) throws -> (items: [Value], rows: [Item.Step]) {
        try Value.array((0..<count).map { randomItem(depth: depth, hasOddKey: $0 == 0 && random.generator.one(in: 6)) })
            .rows()
    }

    /// - Parameter hasOddKey: whether it gets a `Key` that others may have, as their title or their `Key`.
    private mutating func randomItem(depth: Int, hasOddKey: Bool) -> Value {
        made += 1
        var item = random.item(number: made, depth: depth)
        if isSmall { item = item.withPlainFields }
        guard hasOddKey, case .dictionary(let entries) = item else { return item }
        let key = Value.Entry("Key", .string(random.text()))
        return Value.dictionary(entries.filter { $0.key != "Key" } + [key])
    }
}

extension Value {
    /// The same structure, with numbers for the values that are containers.
    fileprivate var withPlainFields: Value {
        switch self {
        case .array(let elements): .array(elements.map(\.withPlainFields))
        case .dictionary(let entries):
            .dictionary(
                entries.map { entry in
                    guard entry.value.isContainer else { return entry }
                    guard Self.structureNames.contains(entry.key) else { return Entry(entry.key, .boolean(true)) }
                    guard case .dictionary(let sections) = entry.value else {
                        return Entry(entry.key, entry.value.withPlainFields)
                    }
                    return Entry(entry.key, .dictionary(sections.map { Entry($0.key, $0.value.withPlainFields) }))
                })
        default: self
        }
    }

    private var isContainer: Bool {
        if case .dictionary = self { true } else { isArray }
    }

    /// The items of an array as a tree sends them, with every key once and sections in order, and their rows.
    func rows() throws -> (items: [Value], rows: [Item.Step]) {
        guard let level = try tree().document.child(0) else { return ([], []) }
        let rows = (0..<level.rowCount).map { Item.Step(level: level, row: $0) }
        return (try rows.map { try level.told($0.row) }, rows)
    }
}

extension Level {
    /// An item with all below it, as the value that a walk sends.
    func told(_ row: Int) throws -> Value {
        var reader = ValueReader()
        var walk = TreeWalk(level: self, row: row)
        try walk.finish(to: &reader)
        return reader.values[0]
    }
}
