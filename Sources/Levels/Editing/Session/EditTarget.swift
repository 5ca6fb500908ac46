/// An item that an edit concerns, in the whole document and in its file.
struct EditTarget {
    /// The item as clients see it.
    let shown: Item
    /// The number of its file among those of the session.
    let file: Int
    /// The item in the file's own document.
    let item: Item

    /// The rows that lead to the place where the file is mounted.
    var mount: [Int] { Array(shown.rowPath.prefix(shown.depth - item.depth)) }
}

extension EditTarget {
    /// Refuses what cannot be edited whatever its content is.
    ///
    /// - Parameter asOwner: whether the level below the item is edited, not the item.
    func checkEditable(asOwner: Bool) throws(EditRefusal) {
        let level = item.level
        let forms = [shown.own.level.form, item.own.level.form] + (asOwner ? [level?.form, shown.level?.form] : [])
        for case let form? in forms {
            switch form {
            case .elements, .entries: throw EditRefusal(.anyShape)
            case .facets, .records: throw EditRefusal(.records)
            case .specifiers: throw Self.settingsPage
            case .rows, .arraysOfRows, .sections, .namedSections: continue
            }
        }
        if item.depth == 0, level?.form == .specifiers { throw Self.settingsPage }
        if asOwner, item.own.level.part(item.own.row)?.isTable == true { throw EditRefusal(.records) }
    }

    private static var settingsPage: EditRefusal {
        .conflict("a settings page cannot be edited; only the values of its controls can be set")
    }
}

/// The item of a step, followed through the later steps of its batch.
struct FollowedItem {
    private enum State {
        case present(rows: [Int])
        case deleted
    }

    /// The rows that lead to the place where its file is mounted.
    private let mount: [Int]
    private var state: State
    private let isNew: Bool

    /// - Parameter path: its rows in the file; nil for an item that its own step has removed.
    init(mount: [Int], path: [Int]?, isNew: Bool) {
        self.mount = mount
        self.isNew = isNew
        state = path.map { .present(rows: $0) } ?? .deleted
    }

    /// The number of its row; nil if it is gone.
    var row: Int? { if case .present(let rows) = state { rows.last } else { nil } }

    /// Whether it is at some rows of its file, or below them.
    func isBelow(_ path: [Int]) -> Bool {
        if case .present(let rows) = state { rows.starts(with: path) } else { false }
    }

    /// Takes over what a later step does.
    mutating func take(_ effect: RowEffect) {
        guard case .present(let rows) = state else { return }
        state = effect.place(of: rows).map { .present(rows: $0) } ?? .deleted
    }

    /// What became of it.
    func item(in document: Level) -> EditedItem {
        switch state {
        case .present(let rows):
            Item(rowPath: mount + rows, in: document).map { .present($0, isNew: isNew) } ?? .deleted
        case .deleted: .deleted
        }
    }
}

/// What a step does to the places of rows in a file: row numbers from the root's level down.
enum RowEffect {
    /// Only fields change.
    case none
    /// A row is new.
    case inserted([Int])
    /// A row is gone, with everything below it.
    case removed([Int])
    /// A row is in another place; the second path is the new one.
    case moved([Int], to: [Int])

    /// Where an item is after the step; nil if it is gone.
    func place(of path: [Int]) -> [Int]? {
        switch self {
        case .none: return path
        case .inserted(let new): return Self.inserting(new, path)
        case .removed(let old): return Self.removing(old, path)
        case .moved(let old, let new):
            if path.starts(with: old) { return new + path[old.count...] }
            return Self.removing(old, path).map { Self.inserting(new, $0) }
        }
    }

    private static func inserting(_ new: [Int], _ path: [Int]) -> [Int] {
        let last = new.count - 1
        guard path.count > last, path.starts(with: new.dropLast()), path[last] >= new[last] else { return path }
        var path = path
        path[last] += 1
        return path
    }

    private static func removing(_ old: [Int], _ path: [Int]) -> [Int]? {
        if path.starts(with: old) { return nil }
        let last = old.count - 1
        guard path.count > last, path.starts(with: old.dropLast()), path[last] > old[last] else { return path }
        var path = path
        path[last] -= 1
        return path
    }
}

extension Item {
    /// The row numbers from the root's level down to the item; none for the root.
    var rowPath: [Int] { steps.dropFirst().map(\.row) }

    /// The item that row numbers lead to; nil if there is none.
    init?(rowPath: [Int], in document: Level) {
        var steps = [Step(level: document, row: 0)]
        for row in rowPath {
            let own = steps[steps.count - 1]
            guard let level = own.level.child(own.row), row >= 0, row < level.rowCount else { return nil }
            steps.append(Step(level: level, row: row))
        }
        self.init(steps)
    }
}

/// A file of the document, and what edits have made of it.
struct EditedFile: Sendable {
    /// The file before the edits, and as it is now; nil for a document of one file.
    let original: Composition?
    var current: Composition?
    /// The document of the file before the edits, and as it is now.
    let old: Level
    var new: Level
    var provenance = Provenance.same([])
    let syntax: FileSyntax
}

/// A file that edits have changed: what a writer needs to save it.
public struct ChangedFile: Sendable {
    /// The file as it was composed before the edits; nil for a document of one file.
    public let original: Composition?
    /// The document that the file has, and the one that it should have.
    public let old, new: Level
    /// Where the rows of `new` come from.
    public let provenance: Provenance
}
