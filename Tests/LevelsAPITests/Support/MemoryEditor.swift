import Levels
import LevelsAPI
import TreeStore

@testable import TestDocuments

/// Edits a tree in memory, at once, as a store does with a file.
struct MemoryEditor: DocumentEditor {
    let publications: Publications
    /// How every edit ends in place of being done; nil to do it.
    var outcome: EditOutcome?
    /// How every reload ends.
    var reloadOutcome: ReloadOutcome?

    func edit(_ request: EditRequest) { request.answer(outcome ?? self.outcome(of: request)) }

    func reload(_ answer: @escaping @Sendable (ReloadOutcome) -> Void) {
        answer(reloadOutcome ?? .unchanged(publications.current.snapshot))
    }

    private func outcome(of request: EditRequest) -> EditOutcome {
        let current = publications.current
        do throws(EditRefusal) {
            try request.precondition(current.snapshot)
            let (document, items) = try edited(request.content, current.snapshot)
            guard document.hash != current.snapshot.document.hash else { return .done(current, items: items) }
            let snapshot = Snapshot(
                document: document, revision: "k3-\(current.number + 2)",
                isNamedBySource: current.snapshot.isNamedBySource, loadedAt: 1_700_000_000,
                cause: .edit(author: request.author))
            let publication = publications.publish(snapshot)
            publications.notify()
            return .done(publication, items: items)
        } catch {
            return .refused(error)
        }
    }

    private func edited(
        _ content: EditRequest.Content, _ snapshot: Snapshot
    ) throws(EditRefusal) -> (Level, [EditedItem]) {
        switch content {
        case .edits(let batch):
            var session = EditSession(document: snapshot.document)
            let items = try session.apply(batch)
            return (session.document, items)
        case .document(let bytes):
            do {
                return (try Document.tree(String(decoding: bytes, as: UTF8.self)).document, [])
            } catch {
                throw EditRefusal(.invalid(pointer: nil), detail: "The document would be refused: \(error)")
            }
        }
    }
}
