internal import Levels
internal import PropertyLists

/// Edits of a document that is one file.
final class DocumentEdits: EditGroup {
    private let watcher: DocumentWatcher
    private let file: EditedFile
    private var session: EditSession
    /// The document that replaces all of the old one, if a request does that.
    private var replacement: EditedFile.Content?

    init(_ watcher: DocumentWatcher, _ file: EditedFile) {
        self.watcher = watcher
        self.file = file
        session = EditSession(file.loaded.tree.document, editor: file.interpretation.editor)
    }

    func apply(_ batch: EditBatch) throws(EditRefusal) -> EditedTree {
        var next = session
        let items = try next.apply(batch)
        try checkText(next.document)
        session = next
        return EditedTree(document: session.document, items: items)
    }

    /// Refuses text that the file's syntax cannot represent.
    private func checkText(_ document: Level) throws(EditRefusal) {
        guard file.loaded.syntax == .xml, document.holdsTextBeyondXML else { return }
        throw EditRefusal(
            .invalid(pointer: nil),
            "The document is an XML property list, which cannot represent control characters or fractions of a second; leave them out."
        )
    }

    func replaceDocument(with bytes: [UInt8]) throws(EditRefusal) -> EditedTree {
        throw EditRefusal(.conflict, "The document cannot be replaced.")
    }

    func save() throws(SaveError) -> Fingerprint? {
        guard session.document.hash != file.loaded.tree.document.hash else { return file.loaded.fingerprint }
        return watcher.adopt(try file.save(replacement ?? .tree(session.document)))
    }
}
