internal import Bytes
internal import Files
internal import Heap
internal import Levels
internal import PropertyLists

/// Edits of a document that is read as it is. Each edit changes the text, which is then read again, because what is a row
/// depends on the whole document.
final class NaturalEdits: EditGroup {
    private let watcher: DocumentWatcher
    private let loaded: LoadedTree
    private let syntax: PropertyListSyntax
    private var state: State
    private var isChanged = false
    private let refusals = MemoryBudget.refusals

    /// The text with the edits so far, and the tree of this text.
    private struct State {
        var bytes: [UInt8]
        var tree: Tree
    }

    /// The maximum number of bytes that the edits of one request read: the size of the document for each edit.
    private static let mostBytesRead = 4 << 30

    /// - Throws: `EditRefusal` if the file cannot be saved, or has changed since it was loaded.
    init(watcher: DocumentWatcher, loaded: LoadedTree) throws(EditRefusal) {
        if case .nothing(let refusal) = watcher.savability(of: nil) { throw EditRefusal(refusal) }
        guard let syntax = loaded.syntax else { throw EditRefusal(.missingFile) }
        (self.watcher, self.loaded, self.syntax) = (watcher, loaded, syntax)
        state = State(bytes: [], tree: loaded.tree)
    }

    deinit { finish() }

    private var interpretation: Interpretation { watcher.document.interpretation.asItIs }

    // MARK: Applying

    func apply(_ batch: EditBatch, by author: String?) throws(EditRefusal) -> EditedTree? {
        var next = state
        if next.bytes.isEmpty { next.bytes = try watcher.bytes(of: loaded) }
        guard batch.edits.count <= 1 || batch.edits.count * next.bytes.count <= Self.mostBytesRead else {
            throw EditRefusal(
                .invalid(pointer: nil),
                detail:
                    "The document is read once for each of the \(batch.edits.count) edits, which is too much for its size; send at most \(Self.mostBytesRead / next.bytes.count) edits at once."
            )
        }
        var places: [(place: NaturalPlace?, isNew: Bool)] = []
        for (number, edit) in batch.edits.enumerated() {
            do throws(EditRefusal) {
                if batch.tagged?.contains(number) == false {
                    try NaturalEditor(state.tree, names: interpretation.names).checkCondition(of: edit)
                }
                let planned = try NaturalEditor(next.tree, names: interpretation.names).plan(
                    edit, isExact: batch.isExact)
                for index in places.indices { places[index].place = places[index].place?.after(planned.change) }
                places.append((planned.place, planned.isNew))
                try make(planned, in: &next)
            } catch {
                throw EditRefusal(error.kind, detail: error.detail, step: number)
            }
        }
        if next.tree.document.hash != state.tree.document.hash {
            state = next
            isChanged = true
        }
        let document = state.tree.document
        return EditedTree(
            document: document,
            items: places.map { edited in
                guard let item = edited.place.flatMap({ Item(at: $0, in: document) }) else { return .deleted }
                return .present(item, isNew: edited.isNew)
            })
    }

    private func make(_ planned: NaturalEditor.Planned, in state: inout State) throws(EditRefusal) {
        do {
            let bytes = try NaturalSplice.document(
                state.bytes, syntax: syntax, after: planned.change, limits: interpretation.propertyListLimits)
            let tree = try interpretation.read(
                .memory(bytes), as: syntax, pool: LevelPool(state.tree.document, kept: state.tree.kept))
            try planned.checkRows(from: state.tree.document, to: tree.document)
            state = State(bytes: bytes, tree: tree)
        } catch let error as EditRefusal {
            throw error
        } catch let error as PropertyListError {
            throw SentDocument.refusal(error)
        } catch {
            throw EditRefusal(.conflict, detail: "The edited document cannot be read.")
        }
    }

    func replaceDocument(with bytes: [UInt8], by author: String?) throws(EditRefusal) -> EditedTree {
        var (bytes, new) = (bytes, try sent(bytes))
        if new.syntax != syntax {
            do throws(PropertyListError) { bytes = try new.tree.document.written(as: syntax) } catch {
                throw SentDocument.refusal(error)
            }
            new = try sent(bytes)
        }
        state = State(bytes: bytes, tree: new.tree)
        isChanged = true
        return EditedTree(document: new.tree.document, items: [])
    }

    private func sent(_ bytes: [UInt8]) throws(EditRefusal) -> SentDocument {
        try SentDocument(
            bytes: bytes, replacing: loaded.tree.document, keeping: loaded.tree.kept, interpretation: interpretation)
    }

    // MARK: Saving

    func save() throws(SaveError) -> Fingerprint? {
        guard refusals == MemoryBudget.refusals else { throw .outOfMemory }
        guard isChanged else { return watcher.state }
        let saved = try watcher.save(.bytes(state.bytes, state.tree), to: nil, replacing: loaded)
        return watcher.adopt(saved, of: nil, composed: [])
    }

    func finish() { watcher.finishEdits() }
}

extension DocumentWatcher {
    /// The content of the document's file.
    ///
    /// - Throws: `EditRefusal` if the file is no longer the one that was loaded.
    fileprivate func bytes(of loaded: LoadedTree) throws(EditRefusal) -> [UInt8] {
        guard MemoryBudget.hasRoom(for: loaded.identity?.size ?? 0) else { throw .outOfMemory }
        do {
            let file = try DocumentFile.open(path: document.path, maximumBytes: document.maximumBytes)
            guard let identity = loaded.identity, file.identity.isSameContent(as: identity) else {
                throw EditRefusal(.conflict, detail: "The file has changed meanwhile; repeat the edit.")
            }
            return try file.bytes()
        } catch let error as EditRefusal {
            throw error
        } catch {
            throw EditRefusal(.missingFile)
        }
    }
}
