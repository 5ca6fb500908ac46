public import PropertyLists

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
    var files: [EditedFile]
    /// The number of the file that the batch edits; nil before the batch's first edit.
    var batchFile: Int?
    /// The row where that file is mounted, as the batch's first step names it; the root for the root's own file.
    var mount: FoundItem?
    /// Whether `document` lacks the latest steps.
    var isBehind = false
    /// The items of the batch's steps so far.
    private var items: [StepItem] = []
    /// The highest mark of an item of a draft, and the first mark of the batch.
    private var (lastMark, firstMark) = (0, 1)
    /// The document before the batch, if the current edit must not name an item whose natural key a sibling has.
    var unconditionalBase: Level?
    /// The marks of the items whose tags the steps name, by the number of the step.
    private var tagged: [Int: Int] = [:]
    /// The mark of the item whose tag the current step names.
    var taggedMark: Int?
    let names: StructuralNames
    private let limits: TreeLimits
    private let syntax: @Sendable (Composition) -> PropertyListSyntax

    /// The item of a step.
    private struct StepItem {
        /// The row numbers from the root's level to the row where the file is mounted; empty for the root's own file.
        let mount: [Int]
        /// The item's mark in the draft of the file; nil for a removed item.
        let mark: Int?
        let isNew: Bool
    }

    /// Begins to edit a document of one file.
    ///
    /// - Parameter syntax: the syntax of the file.
    public init(
        document: Level, names: StructuralNames = .init(), limits: TreeLimits = .init(),
        syntax: PropertyListSyntax = .xml
    ) {
        self.init(source: document, composition: nil, names: names, limits: limits, syntax: syntax) { _ in syntax }
    }

    /// Begins to edit a document of several files.
    ///
    /// - Parameter syntax: returns the syntax of a composition's file.
    public init(
        composition: Composition, names: StructuralNames = .init(), limits: TreeLimits = .init(),
        syntax: @escaping @Sendable (Composition) -> PropertyListSyntax
    ) {
        self.init(
            source: composition.source, composition: composition, names: names, limits: limits,
            syntax: syntax(composition), of: syntax)
    }

    private init(
        source: Level, composition: Composition?, names: StructuralNames, limits: TreeLimits,
        syntax: PropertyListSyntax, of others: @escaping @Sendable (Composition) -> PropertyListSyntax
    ) {
        document = composition?.document ?? source
        self.composition = composition
        (self.names, self.limits) = (names, limits)
        files = [EditedFile(document: source, composition: composition, names: names, syntax: syntax)]
        self.syntax = others
    }

    /// The files whose content has changed since the session began.
    public var changedFiles: [ChangedFile] {
        files.filter { $0.old.hash != $0.document.hash }
            .map { ChangedFile(original: $0.original, old: $0.old, new: $0.document, draft: $0.draft) }
    }

    /// The compositions of the edited files, and of the files that mount these files, before and with the edits,
    /// even if the edits have changed nothing in the end.
    public var recomposed: [(old: Composition, new: Composition)] {
        files.compactMap { file in
            guard let old = file.original, let new = file.current, new !== old else { return nil }
            return (old, new)
        }
    }

    /// Applies the edits of a request, each to the result of the previous edit. Applies either all edits or none.
    ///
    /// - Returns: the item of each edit.
    /// - Throws: `EditRefusal` with the number of the step.
    public mutating func apply(_ batch: EditBatch) throws(EditRefusal) -> [EditedItem] {
        var session = self
        session.batchFile = nil
        session.mount = nil
        session.items = []
        session.firstMark = session.lastMark + 1
        let before = session
        do throws(EditRefusal) {
            try session.make(batch)
        } catch {
            // Making the tree after each step shows which step exceeds a limit.
            guard batch.edits.count > 1, session.exceedsLimit() else { throw error }
            session = before
            try session.make(batch, settlesEach: true)
        }
        let items = session.editedItems()
        take(session)
        return items
    }

    private mutating func make(_ batch: EditBatch, settlesEach: Bool = false) throws(EditRefusal) {
        let base = document
        try mark(batch)
        for (number, edit) in batch.edits.enumerated() {
            unconditionalBase = batch.tagged?.contains(number) == false ? base : nil
            taggedMark = tagged[number]
            do throws(EditRefusal) {
                try apply(edit, isExact: batch.isExact)
                if settlesEach || number == batch.edits.count - 1 { try settle() }
            } catch {
                throw error.inStep(number)
            }
        }
    }

    /// Marks the items whose tags the later steps name.
    private mutating func mark(_ batch: EditBatch) throws(EditRefusal) {
        tagged = [:]
        for (number, edit) in batch.edits.enumerated() where number > 0 && batch.tagged?.contains(number) == true {
            guard let path = edit.item, case .found(let item) = Item.find(path, in: document) else { continue }
            let (file, own) = composition?.origin(of: item) ?? (nil as Composition?, item)
            tagged[number] = try mark(own.rowPath, in: self.number(of: file))
        }
    }

    /// Marks an item of a file, and returns its mark.
    private mutating func mark(_ path: [Int], in file: Int) throws(EditRefusal) -> Int {
        lastMark += 1
        do throws(TreeError) {
            return try files[file].draft.mark(path, as: lastMark, since: firstMark)
        } catch {
            throw EditRefusal(error)
        }
    }

    /// The items of the steps, after all steps.
    private func editedItems() -> [EditedItem] {
        let paths = batchFile.map { files[$0].draft.paths(ofMarksSince: firstMark) } ?? [:]
        return items.map { step in
            guard let path = step.mark.flatMap({ paths[$0] }), let item = Item(rowPath: step.mount + path, in: document)
            else { return .deleted }
            return .present(item, isNew: step.isNew)
        }
    }

    /// Takes over the state of another session if that session has changed a file.
    private mutating func take(_ session: EditSession) {
        let isChanged = session.files.contains { file in
            let known = files.first { $0.original === file.original }?.document ?? file.old
            return file.document.hash != known.hash
        }
        if isChanged { self = session }
    }

    // MARK: The tree

    /// Makes the tree with the steps so far.
    mutating func settle() throws(EditRefusal) {
        guard let file = batchFile, isBehind else { return }
        do throws(TreeError) {
            let new = try files[file].draft.level()
            if new.hash != files[file].document.hash {
                try limits.check(new)
                files[file].document = new
                try compose(file)
            }
            isBehind = false
        } catch {
            throw EditRefusal(error)
        }
    }

    private mutating func exceedsLimit() -> Bool {
        do throws(EditRefusal) {
            try settle()
            return false
        } catch {
            return true
        }
    }

    /// The maker of rows for a target's file.
    func maker(for target: EditTarget, group: Section?, isRoot: Bool = false) -> RowMaker {
        RowMaker(names: names, limits: limits, syntax: files[target.file].syntax, group: group, isRoot: isRoot)
    }

    /// The maker of rows for an unknown place.
    var maker: RowMaker { RowMaker(names: names, limits: limits, syntax: files[0].syntax) }

    /// The level below a target, with the steps so far; nil for a leaf.
    func level(below target: EditTarget) -> LevelDraft? {
        files[target.file].draft.item(at: target.path)?.level(names)
    }

    /// Returns the row below a target with a key; nil without such a row.
    func row(withKey key: [UInt8], below target: EditTarget) -> Int? {
        isBehind ? level(below: target)?.row(withKey: key) : target.found.shown.level?.row(withKey: key.span)
    }

    /// Whether a row below a target has a key.
    mutating func hasKey(_ key: [UInt8], row: Int, below target: EditTarget) throws(EditRefusal) -> Bool {
        // The keys of rows that mount other files are those of the composed document.
        guard composition != nil else { return level(below: target)?.row(withKey: key) == row }
        try settle()
        return Item(rowPath: target.found.rows, in: document)?.level?.row(withKey: key.span) == row
    }

    /// Allows the next target to be in any file.
    mutating func forgetFile() { batchFile = nil }

    // MARK: Changes

    /// Changes the draft of a target's file.
    ///
    /// - Parameter parts: the files that a new row refers to.
    mutating func change(
        _ target: EditTarget, referringTo parts: [PartReference] = [],
        _ change: (inout LevelDraft) throws(TreeError) -> Void
    ) throws(EditRefusal) {
        let known = files[target.file].current?.parts
        if parts.contains(where: { known?[$0] == nil }) { needsLoad = true }
        isBehind = true
        do throws(TreeError) { try change(&files[target.file].draft) } catch { throw EditRefusal(error) }
    }

    /// Records the item of a step.
    ///
    /// - Parameter path: the path of the item in the target's file; nil if the step has removed it.
    mutating func finishStep(_ target: EditTarget, at path: [Int]?, isNew: Bool = false) throws(EditRefusal) {
        var mark: Int?
        if let path { mark = try self.mark(path, in: target.file) }
        items.append(StepItem(mount: target.mount, mark: mark, isNew: isNew))
    }

    // MARK: Files

    /// Returns the number of a file. Adds a file that is not yet in the session.
    mutating func number(of composition: Composition?) -> Int {
        if let number = files.firstIndex(where: { $0.current === composition }) { return number }
        guard let composition else { return 0 }
        files.append(
            EditedFile(
                document: composition.source, composition: composition, names: names, syntax: syntax(composition)))
        return files.count - 1
    }

    /// Composes the document again if the file has changed.
    private mutating func compose(_ file: Int) throws(TreeError) {
        let new = files[file].document
        guard let root = composition, let old = files[file].current else {
            if new.hash != document.hash { document = new }
            return
        }
        guard new.hash != old.source.hash else { return }
        let recomposition = try Recomposition(of: root, replacing: old, with: new, names: names, limits: limits)
        composition = recomposition.root
        for (old, new) in recomposition.made {
            files[number(of: old)].current = new
        }
        document = composition?.document ?? document
    }
}
