internal import Heap
package import Levels
internal import PropertyLists

/// Edits of a document or of one file that the document mounts. All edits of a group are of the same file, and are
/// saved together.
final class DocumentEdits: EditGroup {
    private let watcher: DocumentWatcher
    private var session: EditSession
    /// The mounted files, by the compositions that they had when the group began. A later look-up would fail, because
    /// `goBack` makes new compositions.
    private let parts: [ObjectIdentifier: PartFile]
    /// The files that can be saved.
    private var savable: Set<ObjectIdentifier> = []
    /// The new content of the whole document; nil unless a request replaces the document.
    private var replacement: EditedFile.Content?
    /// Whether the group takes no more requests, because the document has been composed again for an edit.
    private var isComplete = false
    /// The file that was composed with edited content, before the edited content is saved. `loaded` is the file's
    /// content on disk. Nil if every file in the composition has its content on disk.
    private var provisional: (part: PartFile?, loaded: LoadedTree?)?
    /// Whether the edited file was read again during the composition. If so, the tree lacks the edits.
    private var isOutdated = false
    /// The number of refused allocations when the group began.
    private let refusals = MemoryBudget.refusals

    var hasUnshownChanges: Bool { isOutdated }

    init(watcher: DocumentWatcher, session: EditSession) {
        self.watcher = watcher
        self.session = session
        parts = watcher.composer.files.byComposition
    }

    deinit {
        goBack()
        finish()
    }

    // MARK: Applying

    func apply(_ batch: EditBatch, by author: String?) throws(EditRefusal) -> EditedTree? {
        guard !isComplete else { return nil }
        var next = session
        let items = try next.apply(batch)
        let changed = next.changedFiles
        guard changed.count <= 1 else { return nil }
        if let change = changed.first {
            try checkSavability(of: part(of: change.original))
            if next.needsLoad || change.refersToOtherParts {
                return try recompose(change, items: items) { session = next }
            }
        }
        session = next
        return EditedTree(document: session.document, composition: session.composition, items: items)
    }

    /// Refuses edits of a file that cannot be saved. Each file is checked once.
    private func checkSavability(of part: PartFile?) throws(EditRefusal) {
        let file = part.map { ObjectIdentifier($0) } ?? ObjectIdentifier(watcher)
        guard !savable.contains(file) else { return }
        if case .nothing(let refusal) = watcher.savability(of: part) { throw EditRefusal(refusal) }
        savable.insert(file)
    }

    /// Composes the document again, with the parts to which it now refers. This completes the group.
    private func recompose(
        _ change: ChangedFile, items: [EditedItem], then accept: () -> Void
    ) throws(EditRefusal) -> EditedTree {
        let (part, known) = loaded(of: change)
        guard let loaded = known else { throw EditRefusal(.missingFile) }
        let composed = try compose(loaded.edited(to: loaded.tree.edited(to: change.new)), of: part, loaded: loaded)
        accept()
        return EditedTree(
            document: composed.tree.document, composition: composed.composition,
            items: items.map { $0.found(in: composed.tree.document) })
    }

    private func compose(
        _ edited: LoadedTree, of part: PartFile?, loaded: LoadedTree
    ) throws(EditRefusal) -> LoadedTree {
        provisional = (part, loaded)
        isComplete = true
        do throws(SourceError) {
            let composed = try watcher.compose(with: edited, of: part)
            if let part { isOutdated = part.known?.tree.document !== edited.tree.document }
            return composed
        } catch {
            goBack()
            isComplete = false
            // Clients see file names as the documents write them.
            let reason = error.reason.replacing(watcher.document.path.folder + "/", with: "")
            throw EditRefusal(.invalid(pointer: nil), detail: "The document would be refused: \(reason)".withFullStop)
        }
    }

    func replaceDocument(with bytes: [UInt8], by author: String?) throws(EditRefusal) -> EditedTree {
        try checkSavability(of: nil)
        guard let loaded = watcher.latest else { throw EditRefusal(.missingFile) }
        let (old, interpretation) = (loaded.tree.document, watcher.document.interpretation)
        var (bytes, new) = (bytes, try SentDocument(bytes: bytes, replacing: old, interpretation: interpretation))
        if loaded.syntax == .xml, new.tree.document.holdsTextBeyondXML {
            throw EditRefusal(
                .invalid(pointer: nil),
                detail:
                    "The document is an XML property list, which cannot represent control characters or fractions of a second; leave them out."
            )
        }
        if let syntax = loaded.syntax, syntax != new.syntax {
            // The same document may be read differently: a date is text in JSON, and text can be a row's title.
            do throws(PropertyListError) { bytes = try new.tree.document.written(as: syntax) } catch {
                throw SentDocument.refusal(error)
            }
            new = try SentDocument(bytes: bytes, replacing: old, interpretation: interpretation)
        }
        replacement = .bytes(bytes, new.tree)
        let composed = try compose(loaded.edited(to: new.tree), of: nil, loaded: loaded)
        return EditedTree(document: composed.tree.document, composition: composed.composition, items: [])
    }

    // MARK: Saving

    func save() throws(SaveError) -> Fingerprint? {
        if isOutdated {
            goBack()
            throw .changedMeanwhile
        }
        guard refusals == MemoryBudget.refusals else {
            goBack()
            throw .outOfMemory
        }
        let change = session.changedFiles.first
        guard let content = replacement ?? change.map({ .tree($0.new, draft: $0.draft) }) else { return watcher.state }
        let (part, loaded) = provisional ?? loaded(of: change)
        do throws(SaveError) {
            let saved = try watcher.save(content, to: part, replacing: loaded)
            provisional = nil
            return watcher.adopt(saved, of: part, composed: session.recomposed)
        } catch {
            goBack()
            throw error
        }
    }

    func finish() { watcher.finishEdits() }

    /// The file of a composition; nil for the document's own file.
    private func part(of original: Composition?) -> PartFile? { original.flatMap { parts[ObjectIdentifier($0)] } }

    /// The file of a change, and its loaded content.
    private func loaded(of change: ChangedFile?) -> (part: PartFile?, loaded: LoadedTree?) {
        let part = part(of: change?.original)
        return (part, part.map { $0.known } ?? watcher.latest)
    }

    /// Composes the document from the content on disk again, unless the edits were saved.
    private func goBack() {
        guard case (let part, let loaded?)? = provisional.take() else { return }
        watcher.goBack(part, to: loaded)
    }
}

extension ChangedFile {
    /// Whether the change makes the document refer to other parts than before.
    fileprivate var refersToOtherParts: Bool {
        guard old.holdsParts || new.holdsParts else { return false }
        return new.partReferences != Set((original?.parts ?? [:]).keys)
    }
}

extension LoadedTree {
    /// The same load with an edited tree.
    fileprivate func edited(to tree: Tree) -> LoadedTree {
        var loaded = self
        loaded.tree = tree
        return loaded
    }
}

/// A document that a client sends to replace the whole old document. It has passed the checks of a load.
package struct SentDocument {
    let syntax: PropertyListSyntax
    package let tree: Tree

    /// - Parameter old: the document to replace; equal levels are shared with it.
    /// - Throws: `EditRefusal` if a load would refuse the bytes.
    package init(
        bytes: [UInt8], replacing old: Level, keeping kept: KeptReading? = nil, interpretation: Interpretation
    ) throws(EditRefusal) {
        if bytes.count > interpretation.maximumBytes {
            throw EditRefusal(
                .invalid(pointer: nil),
                detail:
                    "The document has \(Quantity(count: bytes.count, noun: "byte")) and the limit is \(interpretation.maximumBytes)."
            )
        }
        do throws(PropertyListError) {
            syntax = try SyntaxCheck.syntax(of: Array(bytes.prefix(4_096)))
            tree = try interpretation.read(.memory(bytes), as: syntax, pool: LevelPool(old, kept: kept))
        } catch {
            throw Self.refusal(error)
        }
        if SettingsPage(tree) != nil {
            throw EditRefusal(
                .invalid(pointer: nil), detail: "A settings page cannot replace the document; send a document of items."
            )
        }
        let added = tree.document.partReferences.subtracting(old.partReferences)
        if added.contains(where: \.holdsQuery) {
            throw EditRefusal(
                .invalid(pointer: nil),
                detail: "A 'Query' can be written only in the file of the document; leave it as it was."
            )
        }
        if let path = tree.document.levelBesideSource {
            throw EditRefusal(
                .invalid(pointer: nil),
                detail:
                    "\(path) has a Source and its own rows, as in a document that shows its mounts in place; leave out the rows, as GET /document?inline=false does."
            )
        }
    }

    static func refusal(_ error: PropertyListError) -> EditRefusal {
        if error.isOutOfMemory { return .outOfMemory }
        let place =
            switch error.position {
            case .text(let line, let column): "Line \(line), column \(column): "
            case .byte(let offset): "Byte \(offset): "
            case nil: ""
            }
        let reason = place.isEmpty ? error.reason.prefix(1).uppercased() + error.reason.dropFirst() : error.reason
        return EditRefusal(.invalid(pointer: nil), detail: (place + reason).withFullStop)
    }
}
