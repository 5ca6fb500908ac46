internal import PropertyLists

/// Edits a document in batches, without I/O.
///
/// A session is a value: a copy preserves a state that the caller can go back to. A refused batch leaves the session
/// unchanged.
///
///     var session = EditSession(document: tree.document)
///     _ = try session.apply(EditBatch([.delete(path)], isExact: true))
///     for file in session.changedFiles { print(file.new.hash) }
public struct EditSession: Sendable {
    /// The document with the edits, composed of all its files.
    public private(set) var document: Level
    /// The composition with the edits; nil for a document of one file.
    public private(set) var composition: Composition?
    /// Whether the edited document refers to files outside the composition. Until those files are loaded, the rows that
    /// refer to them are without a level.
    public private(set) var needsLoad = false
    private var files: [EditedFile]
    /// The number of the file that the batch edits; nil before the batch's first edit.
    private var batchFile: Int?
    /// Whether the tree with the gathered edits could not be made.
    private var isUnsettled = false
    /// The items of the batch's steps so far.
    private var followed: [FollowedItem] = []
    /// The document before the batch, if the current edit must not name an item whose natural key a sibling has.
    private var unconditionalBase: Level?
    /// The items whose tags the later steps name, by the number of the step; nil for the other steps.
    private var tagged: [FollowedItem?] = []
    /// The item whose tag the current step names.
    private var taggedItem: FollowedItem?
    private let editor: TreeEditor
    var names: StructuralNames { editor.names }
    private let syntax: @Sendable (Composition) -> FileSyntax

    /// Begins to edit a document of one file.
    ///
    /// - Parameter syntax: the syntax of the file.
    public init(
        document: Level, names: StructuralNames = .init(), limits: TreeLimits = .init(), syntax: FileSyntax = .xml
    ) {
        self.init(source: document, composition: nil, names: names, limits: limits, syntax: syntax) { _ in syntax }
    }

    /// Begins to edit a document of several files.
    ///
    /// - Parameter syntax: returns the syntax of a composition's file.
    public init(
        composition: Composition, names: StructuralNames = .init(), limits: TreeLimits = .init(),
        syntax: @escaping @Sendable (Composition) -> FileSyntax
    ) {
        self.init(
            source: composition.source, composition: composition, names: names, limits: limits,
            syntax: syntax(composition), of: syntax)
    }

    private init(
        source: Level, composition: Composition?, names: StructuralNames, limits: TreeLimits,
        syntax: FileSyntax, of others: @escaping @Sendable (Composition) -> FileSyntax
    ) {
        document = composition?.document ?? source
        self.composition = composition
        editor = TreeEditor(names: names, limits: limits)
        let draft = DocumentDraft(document: source, editor: editor)
        files = [EditedFile(original: composition, current: composition, draft: draft, syntax: syntax)]
        self.syntax = others
    }

    /// The files whose content has changed since the session began.
    public var changedFiles: [ChangedFile] {
        files.filter { $0.draft.old.hash != $0.draft.document.hash }
            .map { file in
                ChangedFile(
                    original: file.original, old: file.draft.old, new: file.draft.document,
                    provenance: file.draft.provenance)
            }
    }

    /// Applies the edits of a request, each to the result of the previous edit. Applies either all edits or none.
    ///
    /// - Returns: the item of each edit.
    /// - Throws: `EditRefusal` with the number of the step.
    public mutating func apply(_ batch: EditBatch) throws(EditRefusal) -> [EditedItem] {
        var session = self
        session.batchFile = nil
        session.followed = []
        let before = session
        do throws(EditRefusal) {
            try session.make(batch)
        } catch {
            // Making the tree after each step shows which of the gathered edits exceeds a limit.
            guard session.isUnsettled, batch.edits.count > 1 else { throw error }
            session = before
            try session.make(batch, settlesEach: true)
        }
        let items = session.followed.map { $0.item(in: session.document) }
        take(session)
        return items
    }

    private mutating func make(_ batch: EditBatch, settlesEach: Bool = false) throws(EditRefusal) {
        let base = document
        tagged = batch.edits.enumerated().map { number, edit in
            guard number > 0, batch.tagged?.contains(number) == true, let path = edit.item,
                case .found(let item) = Item.find(path, in: base)
            else { return nil }
            return followed(item)
        }
        for (number, edit) in batch.edits.enumerated() {
            unconditionalBase = batch.tagged?.contains(number) == false ? base : nil
            (taggedItem, tagged[number]) = (tagged[number], nil)
            do throws(EditRefusal) {
                try make(edit, isExact: batch.isExact)
                if settlesEach || number == batch.edits.count - 1 { try settle() }
            } catch {
                throw error.inStep(number)
            }
        }
    }

    /// Takes over the state of another session if that session has changed a file.
    private mutating func take(_ session: EditSession) {
        let isChanged = session.files.contains { file in
            let known = files.first { $0.original === file.original }?.draft.document ?? file.draft.old
            return file.draft.document.hash != known.hash
        }
        guard isChanged else { return }
        self = session
        followed = []
    }

    // MARK: Gathered edits

    /// Applies a step. The resulting tree is made only when it is needed.
    mutating func make(_ edit: Edit, isExact: Bool) throws(EditRefusal) {
        if !isCertain(edit) { try settle() }
        try apply(edit, isExact: isExact)
    }

    /// Whether an edit can be applied before the tree with the gathered edits is made: these edits are of levels neither
    /// above nor below its own, and have not changed the rows that it names.
    private func isCertain(_ edit: Edit) -> Bool {
        guard let batchFile, let levels = edit.levels else { return false }
        let draft = files[batchFile].draft
        return !draft.isAhead
            && levels.allSatisfy { path, keys in
                guard let owner = owner(at: path) else { return false }
                // The keys are those that clients see, so the level must be the file's own.
                guard draft.isGathering(owner.shown.level) else { return !draft.isGathering(near: owner.item.rowPath) }
                return keys.allSatisfy { draft.hasUntouchedRow(withKey: $0, below: owner.item.rowPath) }
            }
    }

    /// The item above a level that the batch may edit, without the gathered edits; nil if it is missing.
    private func owner(at path: ItemPath) -> EditTarget? {
        var session = self
        do throws(EditRefusal) { return try session.target(path, asOwner: true) } catch { return nil }
    }

    /// Makes the tree with the edits so far.
    mutating func settle() throws(EditRefusal) {
        guard let file = batchFile else { return }
        do throws(TreeError) {
            try files[file].draft.settle()
            try compose(file)
        } catch {
            isUnsettled = true
            throw EditRefusal(error)
        }
    }

    // MARK: Items

    /// Finds an item to be edited.
    ///
    /// - Parameter asOwner: whether the level below the item will be edited. That level may be in another file.
    mutating func target(_ path: ItemPath, asOwner: Bool) throws(EditRefusal) -> EditTarget {
        switch Item.find(path, in: document) {
        case .found(let item):
            let target = try target(item, asOwner: asOwner)
            if !asOwner { try checkCondition(of: target, at: path) }
            return target
        case .missing(let nearest, let number): throw Self.missing(path.key(number), nearest: nearest)
        }
    }

    mutating func target(_ shown: Item, asOwner: Bool) throws(EditRefusal) -> EditTarget {
        var (file, item) = composition?.origin(of: shown) ?? (nil as Composition?, shown)
        if asOwner, let reference = item.own.level.part(item.own.row), !reference.isTable {
            switch file?.parts[reference] {
            case .composed(let part):
                file = part
                item = Item(rootOf: part.source)
            case .refused(let sentence): throw Self.unread(shown, sentence: sentence)
            case .elsewhere: throw .rowsOfDatabase
            case nil: throw Self.unread(shown, sentence: "It is not loaded.")
            }
        }
        let number = number(of: file)
        let path = files[number].draft.path(of: item.rowPath) ?? item.rowPath
        let target = EditTarget(shown: shown, file: number, item: item, path: path)
        try target.checkEditable(asOwner: asOwner)
        guard batchFile ?? target.file == target.file else {
            throw .conflict(
                "the edits concern several files, which cannot be saved in one step; send the edits of each file separately"
            )
        }
        batchFile = target.file
        return target
    }

    /// Refuses an unconditional edit of an item whose natural key a sibling has, and a conditional one if the path leads
    /// to another item than before the batch. The path leads to the sibling when the item is gone, so a repeated request
    /// would change the sibling.
    private func checkCondition(of target: EditTarget, at path: ItemPath) throws(EditRefusal) {
        if let taggedItem, taggedItem.path != target.path {
            throw EditRefusal(
                .preconditionFailed(current: nil, fields: nil),
                detail:
                    "After the steps before it, '\(quoted: "\(path)")' is another item than the one with this tag; "
                    + "change or remove the last of the items with the same Key or title first.")
        }
        guard let base = unconditionalBase, let item = Self.itemWithSharedKey(path, in: base, names: names) else {
            return
        }
        throw EditRefusal(
            .preconditionRequired(item),
            detail:
                "\(item.titlePath) has the same Key or title as another item of its level, and may now have its path.")
    }

    private static func itemWithSharedKey(_ path: ItemPath, in document: Level, names: StructuralNames) -> Item? {
        guard case .found(let item) = Item.find(path, in: document), item.depth > 0 else { return nil }
        return item.own.level.sharesNaturalKey(item.own.row, names: names) ? item : nil
    }

    private func followed(_ shown: Item) -> FollowedItem {
        let item = composition?.origin(of: shown).item ?? shown
        return FollowedItem(
            mount: Array(shown.rowPath.prefix(shown.depth - item.depth)), path: item.rowPath, isNew: false)
    }

    static func missing(_ key: String, nearest: Item) -> EditRefusal {
        if let sentence = nearest.level?.refusal { return unread(nearest, sentence: sentence) }
        return EditRefusal(
            .noSuchItem(key, nearest: nearest), detail: "There is no '\(quoted: key)' in \(nearest.titlePath).")
    }

    private static func unread(_ item: Item, sentence: String) -> EditRefusal {
        .conflict("the document of \(item.titlePath) cannot be edited: \(sentence)")
    }

    /// The maker of rows for a target's file.
    func maker(for target: EditTarget, group: Section?, isRoot: Bool = false) -> RowMaker {
        RowMaker(editor: editor, syntax: files[target.file].syntax, group: group, isRoot: isRoot)
    }

    /// The maker of rows for an unknown place.
    var maker: RowMaker { RowMaker(editor: editor, syntax: files[0].syntax) }

    /// The document of a target's file, with the edits so far.
    func draft(of target: EditTarget) -> DocumentDraft { files[target.file].draft }

    /// Allows the next target to be in any file.
    mutating func forgetFile() { batchFile = nil }

    /// The current row number of the last step's item.
    var lastFollowedRow: Int? { followed.last?.path?.last }

    // MARK: The log

    /// Adds the edits of a step to the log of the target's file, and begins to follow the step's item.
    ///
    /// - Parameters:
    ///   - path: the item's path after the edits; nil if the edits remove the item.
    ///   - parts: the files that a new row refers to.
    mutating func log(
        _ edits: [RowEdit], of target: EditTarget, at path: [Int]?, isNew: Bool = false,
        referringTo parts: [PartReference] = []
    ) throws(EditRefusal) {
        let known = files[target.file].current?.parts
        if parts.contains(where: { known?[$0] == nil }) { needsLoad = true }
        for edit in edits {
            do throws(TreeError) { try files[target.file].draft.make(edit) } catch { throw EditRefusal(error) }
            for number in followed.indices { followed[number].take(edit) }
            for number in tagged.indices { tagged[number]?.take(edit) }
        }
        followed.append(FollowedItem(mount: target.mount, path: path, isNew: isNew))
    }

    // MARK: Files

    /// Returns the number of a file. Adds a file that is not yet in the session.
    private mutating func number(of composition: Composition?) -> Int {
        if let number = files.firstIndex(where: { $0.current === composition }) { return number }
        guard let composition else { return 0 }
        let draft = DocumentDraft(document: composition.source, editor: editor)
        files.append(
            EditedFile(original: composition, current: composition, draft: draft, syntax: syntax(composition)))
        return files.count - 1
    }

    /// Composes the document again if the file has changed.
    private mutating func compose(_ file: Int) throws(TreeError) {
        let new = files[file].draft.document
        guard let root = composition, let old = files[file].current else {
            if new.hash != document.hash { document = new }
            return
        }
        guard new.hash != old.source.hash else { return }
        var recomposition = Recomposition(names: editor.names, limits: editor.limits)
        try recomposition.replace(old, with: new)
        composition = try recomposition.composition(of: root)
        for (old, new) in recomposition.made {
            files[number(of: old)].current = new
        }
        document = composition?.document ?? document
    }
}
