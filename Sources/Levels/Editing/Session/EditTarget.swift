internal import PropertyLists

/// An item as a step finds it in the whole document.
struct FoundItem {
    let path: ItemPath
    /// The item as clients see it. If `own` is present, each row may be in a level of its own.
    let shown: Item
    /// The current row numbers from the root's level to the item.
    let rows: [Int]
    /// The item in the file that the batch edits, if it was found in the draft of that file; nil if it was found in the
    /// document with all steps so far.
    let own: OwnItem?

    init(path: ItemPath, shown: Item, rows: [Int], own: OwnItem?) {
        (self.path, self.shown, self.rows, self.own) = (path, shown, rows, own)
    }

    init(path: ItemPath, shown: Item) { self.init(path: path, shown: shown, rows: shown.rowPath, own: nil) }

    /// The item above this one that has a given depth.
    func prefix(_ depth: Int) -> FoundItem {
        FoundItem(
            path: path.prefix(depth), shown: Item(Array(shown.steps[...depth])), rows: Array(rows.prefix(depth)),
            own: nil)
    }
}

/// An item in its file, with the steps so far.
struct OwnItem {
    let path: [Int]
    /// The row with the item's own fields.
    let step: Item.Step
    /// The form of the level that contains the item.
    let form: LevelForm
    /// The level below, which may lack the steps so far.
    let level: Level?
    /// The item's section, if that section makes controls of its rows; otherwise nil.
    let group: Section?

    init(path: [Int], step: Item.Step, form: LevelForm, level: Level?, group: Section?) {
        (self.path, self.step, self.form, self.level, self.group) = (path, step, form, level, group)
    }

    /// An item of a document with all steps so far.
    init(_ item: Item) {
        let section = item.own.level.allSections.first { $0.rows.contains(item.own.row) }
        self.init(
            path: item.rowPath, step: item.own, form: item.own.level.form, level: item.level,
            group: section?.ofControls)
    }
}

/// An item to be edited.
struct EditTarget {
    let found: FoundItem
    /// The number of the item's file in the session.
    let file: Int
    /// The item in its file.
    let own: OwnItem

    /// The item as clients see it.
    var shown: Item { found.shown }

    /// The item's path in the file.
    var path: [Int] { own.path }

    /// Whether the item is the root of its file.
    var isRoot: Bool { path.isEmpty }

    /// The row numbers from the root's level to the row where the file is mounted; empty for the root's own file.
    var mount: [Int] { Array(found.rows.dropLast(path.count)) }

    /// Whether the level below the item is kept when the item's row is made again. A level of records is not kept, but
    /// made again, too.
    var keepsLevel: Bool { own.level.map { !$0.form.isDrilled } ?? false }

    /// Returns a section below the item, if that section makes controls of its rows; otherwise nil.
    func group(of section: Int) -> Section? {
        guard let sections = own.level?.allSections, sections.indices.contains(section) else { return nil }
        return sections[section].ofControls
    }
}

extension EditTarget {
    /// Throws an `EditRefusal` if the item cannot be edited.
    ///
    /// - Parameter asOwner: whether the edit changes the level below the item instead of the item itself.
    func checkEditable(asOwner: Bool) throws(EditRefusal) {
        let level = own.level
        let forms = [shown.own.level.form, own.form] + (asOwner ? [level?.form, shown.level?.form] : [])
        for case let form? in forms {
            switch form {
            case .elements, .entries: throw EditRefusal(.anyShape)
            case .list, .members, .value: throw EditRefusal(.naturalShape)
            case .facets, .records: throw EditRefusal(.records)
            case .specifiers: throw Self.settingsPage
            case .rows, .arraysOfRows, .sections, .namedSections: continue
            }
        }
        if isRoot, level?.form == .specifiers { throw Self.settingsPage }
        if asOwner, own.step.level.part(own.step.row)?.isTable == true { throw EditRefusal(.records) }
    }

    private static var settingsPage: EditRefusal {
        .conflict("a settings page cannot be edited; only the values of its controls can be set")
    }
}

extension LevelDraft {
    /// The section of a row, if that section makes controls of its rows; otherwise nil.
    func group(of row: Int) -> Section? {
        guard old.form != .rows, let section = section(of: row) else { return nil }
        return old.allSections[section].ofControls
    }
}

extension Section {
    /// The section itself, if its `Type` makes controls of its rows; otherwise nil.
    fileprivate var ofControls: Section? {
        guard !fields.isEmpty else { return nil }
        let type = PackedDictionary(bytes: fields.span, fields: 0..<fields.count).text("Type").flatMap(ControlType.init)
        return type?.ofRows == nil ? nil : self
    }
}

/// A file of the document, with its edits.
struct EditedFile: Sendable {
    /// The compositions of the file: before the edits, and with the edits so far. Nil for a document of one file.
    let original: Composition?
    var current: Composition?
    /// The file's document before the edits.
    let old: Level
    /// The file's document with the edits of which the tree was made.
    var document: Level
    /// The file's document with all edits.
    var draft: LevelDraft
    let syntax: PropertyListSyntax

    init(document: Level, composition: Composition?, names: StructuralNames, syntax: PropertyListSyntax) {
        (original, current, old, self.document) = (composition, composition, document, document)
        draft = LevelDraft(document: document, names: names)
        self.syntax = syntax
    }
}

/// An edited file, with everything that a writer of the file needs.
public struct ChangedFile: Sendable {
    /// The file's composition before the edits; nil for a document of one file.
    public let original: Composition?
    /// The file's document before and after the edits.
    public let old, new: Level
    /// The draft that became `new`, which knows the origins of the rows; nil if the whole document is replaced.
    package let draft: LevelDraft?

    package init(original: Composition? = nil, old: Level, new: Level, draft: LevelDraft?) {
        (self.original, self.old, self.new, self.draft) = (original, old, new, draft)
    }
}
