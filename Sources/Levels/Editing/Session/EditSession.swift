internal import PropertyLists

/// Edits of a document, one batch after the other, as values: no file is read or written.
///
/// Copying a session and keeping the copy is how to go back. A refused batch leaves the session as it was.
public struct EditSession: Sendable {
    /// The document with the edits; of several files, all of them composed.
    public private(set) var document: Level
    /// The composition with the edits; nil for a document of one file.
    public private(set) var composition: Composition?
    /// Whether the edited document refers to files that are not in the composition.
    ///
    /// The rows that do have no level until whoever saves the document loads it.
    public private(set) var needsLoad = false
    private var files: [EditedFile]
    /// The file that the batch concerns; nil before its first edit.
    private var batchFile: Int?
    /// The level whose rows the last steps have changed, and which is not made yet.
    var pending: PendingLevel?
    /// Whether the pending level could not be made.
    private var isUnsettled = false
    /// The items of the steps of the batch so far.
    private var followed: [FollowedItem] = []
    let names: StructuralNames
    let limits: TreeLimits
    private let syntax: @Sendable (Composition) -> FileSyntax

    /// Begins to edit a document of one file.
    ///
    /// - Parameter syntax: what the file can hold.
    public init(
        _ document: Level, names: StructuralNames = .init(), limits: TreeLimits = .init(), syntax: FileSyntax = .xml
    ) {
        self.init(document, nil, names, limits, syntax: syntax) { _ in syntax }
    }

    /// Begins to edit a document of several files.
    ///
    /// - Parameter syntax: what the file of a composition can hold.
    public init(
        _ composition: Composition, names: StructuralNames = .init(), limits: TreeLimits = .init(),
        syntax: @escaping @Sendable (Composition) -> FileSyntax
    ) {
        self.init(composition.source, composition, names, limits, syntax: syntax(composition), of: syntax)
    }

    private init(
        _ source: Level, _ composition: Composition?, _ names: StructuralNames, _ limits: TreeLimits,
        syntax: FileSyntax, of others: @escaping @Sendable (Composition) -> FileSyntax
    ) {
        document = composition?.document ?? source
        self.composition = composition
        files = [EditedFile(original: composition, current: composition, old: source, new: source, syntax: syntax)]
        self.names = names
        self.limits = limits
        self.syntax = others
    }

    /// The files whose content differs from that before the first edit.
    public var changedFiles: [ChangedFile] {
        files.filter { $0.old.hash != $0.new.hash }
            .map { ChangedFile(original: $0.original, old: $0.old, new: $0.new, provenance: $0.provenance) }
    }

    /// Does the edits of a request: all of them, each on the result of the ones before, or none.
    ///
    /// - Returns: what became of the item of each edit.
    /// - Throws: `EditRefusal` with the number of the step.
    public mutating func apply(_ batch: EditBatch) throws(EditRefusal) -> [EditedItem] {
        var session = self
        session.batchFile = nil
        session.followed = []
        if batch.edits.count > 1, let items = try session.applyGathered(batch) {
            take(session)
            return items
        }
        for (number, edit) in batch.edits.enumerated() {
            do { try session.apply(edit, isExact: batch.isExact) } catch { throw error.inStep(number) }
        }
        let items = session.followed.map { $0.item(in: session.document) }
        take(session)
        return items
    }

    /// The same for steps that are gathered by level; nil if a limit is exceeded, since it is not known by which step.
    private mutating func applyGathered(_ batch: EditBatch) throws(EditRefusal) -> [EditedItem]? {
        let before = self
        for (number, edit) in batch.edits.enumerated() {
            do throws(EditRefusal) {
                if try gather(edit, isExact: batch.isExact) { continue }
                try settle()
                try apply(edit, isExact: batch.isExact)
            } catch {
                if isUnsettled { break }
                throw error.inStep(number)
            }
        }
        do { try settle() } catch { isUnsettled = true }
        guard !isUnsettled else {
            self = before
            return nil
        }
        return followed.map { $0.item(in: document) }
    }

    /// Goes on as another session, unless its files are the same: a batch that changes nothing leaves the document.
    private mutating func take(_ session: EditSession) {
        let isChanged = session.files.contains { file in
            let known = files.first { $0.original === file.original }?.new ?? file.old
            return file.new.hash != known.hash
        }
        guard isChanged else { return }
        self = session
        followed = []
    }

    // MARK: Pending rows

    /// Makes the pending level.
    mutating func settle() throws(EditRefusal) {
        guard let level = pending else { return }
        pending = nil
        isUnsettled = true
        do throws(TreeError) {
            let source = try editor.document(arranging: level.rows, below: level.owner.item)
            if source.hash != files[level.owner.file].new.hash {
                files[level.owner.file].new = source
                try compose(level.owner.file)
            }
        } catch {
            throw EditRefusal(error)
        }
        isUnsettled = false
    }

    /// Notes what a gathered step does.
    mutating func note(_ effect: RowEffect, in file: Int, _ note: (inout Provenance) -> Void) {
        note(&files[file].provenance)
        for number in followed.indices { followed[number].take(effect) }
    }

    /// Whether an item of an earlier step is the one at some rows, or below it.
    func follows(below path: [Int]) -> Bool { followed.contains { $0.isBelow(path) } }

    // MARK: Items

    /// Finds an item to be edited.
    ///
    /// - Parameter asOwner: whether the level below the item is to be edited, which may be that of another file.
    mutating func target(_ path: ItemPath, asOwner: Bool) throws(EditRefusal) -> EditTarget {
        switch Item.find(path, in: document) {
        case .found(let item): return try target(item, asOwner: asOwner)
        case .missing(let nearest, let number): throw Self.missing(path.key(number), nearest)
        }
    }

    mutating func target(_ shown: Item, asOwner: Bool) throws(EditRefusal) -> EditTarget {
        var (file, item) = composition?.origin(of: shown) ?? (nil as Composition?, shown)
        if asOwner, let reference = item.own.level.part(item.own.row), !reference.isTable {
            switch file?.parts[reference] {
            case .composed(let part):
                file = part
                item = Item(rootOf: part.source)
            case .refused(let sentence): throw Self.unread(shown, sentence)
            case nil: throw Self.unread(shown, "It is not loaded.")
            }
        }
        let target = EditTarget(shown: shown, file: number(of: file), item: item)
        try target.checkEditable(asOwner: asOwner)
        guard batchFile ?? target.file == target.file else {
            throw .conflict(
                "the edits concern several files, which cannot be saved in one step; send those of each file by themselves"
            )
        }
        batchFile = target.file
        return target
    }

    static func missing(_ key: String, _ nearest: Item) -> EditRefusal {
        if let sentence = nearest.level?.refusal { return unread(nearest, sentence) }
        return EditRefusal(
            .noSuchItem(key, nearest: nearest), "There is no '\(quoted: key)' in \(nearest.titlePath).")
    }

    private static func unread(_ item: Item, _ sentence: String) -> EditRefusal {
        .conflict("the document of \(item.titlePath) cannot be edited: \(sentence)")
    }

    /// What makes rows for a file.
    ///
    /// - Parameter place: where the row will be; nil for the root's.
    func maker(for target: EditTarget, group: Section?, isRoot: Bool = false) -> RowMaker {
        RowMaker(names: names, limits: limits, syntax: files[target.file].syntax, group: group, isRoot: isRoot)
    }

    /// What makes rows for a place that is not known.
    var maker: RowMaker { RowMaker(names: names, limits: limits, syntax: files[0].syntax) }

    var editor: TreeEditor { TreeEditor(names: names, limits: limits) }

    /// Lets the next item be in any file.
    mutating func forgetFile() { batchFile = nil }

    /// The number of the row that was followed last.
    var lastFollowedRow: Int? { followed.last?.row }

    // MARK: Changes

    /// Follows the item of a step from now on.
    ///
    /// - Parameter path: its rows in the file; nil if the step removed it.
    mutating func follow(_ target: EditTarget, at path: [Int]?, isNew: Bool) {
        followed.append(FollowedItem(mount: target.mount, path: path, isNew: isNew))
    }

    /// Takes over what a step has made of a file.
    ///
    /// - Parameters:
    ///   - parts: the files that its new row refers to.
    ///   - note: notes the change of rows.
    mutating func take(
        _ source: Level, of target: EditTarget, _ effect: RowEffect, referringTo parts: [PartReference] = [],
        _ note: (inout Provenance) -> Void
    ) throws(EditRefusal) {
        let known = files[target.file].current?.parts
        if parts.contains(where: { known?[$0] == nil }) { needsLoad = true }
        if source.hash != files[target.file].new.hash {
            note(&files[target.file].provenance)
            files[target.file].new = source
            do throws(TreeError) { try compose(target.file) } catch { throw EditRefusal(error) }
        }
        for number in followed.indices { followed[number].take(effect) }
    }

    // MARK: Files

    /// The number of a file, which is noted if this is its first edit.
    private mutating func number(of composition: Composition?) -> Int {
        if let number = files.firstIndex(where: { $0.current === composition }) { return number }
        guard let composition else { return 0 }
        files.append(
            EditedFile(
                original: composition, current: composition, old: composition.source, new: composition.source,
                syntax: syntax(composition)))
        return files.count - 1
    }

    /// Puts a changed file in its places.
    private mutating func compose(_ file: Int) throws(TreeError) {
        guard let root = composition, let old = files[file].current else {
            document = files[file].new
            return
        }
        var recomposition = Recomposition(editor)
        try recomposition.replace(old, with: files[file].new)
        composition = try recomposition.composition(of: root)
        for (old, new) in recomposition.made {
            files[number(of: old)].current = new
        }
        document = composition?.document ?? document
    }
}
