internal import Levels
internal import PropertyLists

/// A stand-in: inserts strings at the end and deletes.
struct EditSession {
    private(set) var document: Level
    let editor: TreeEditor

    init(_ document: Level, editor: TreeEditor) {
        self.document = document
        self.editor = editor
    }

    mutating func apply(_ batch: EditBatch) throws(EditRefusal) -> [EditedItem] {
        var next = document
        var items: [EditedItem] = []
        for edit in batch.edits {
            do throws(TreeError) {
                items.append(try Self.apply(edit, to: &next, editor))
            } catch {
                throw EditRefusal(.conflict, "\(error).")
            }
        }
        document = next
        return items
    }

    private static func apply(
        _ edit: Edit, to document: inout Level, _ editor: TreeEditor
    ) throws(TreeError) -> EditedItem {
        switch edit {
        case .insert(.string(let title), below: let path, at: _, section: _):
            guard case .found(let item) = Item.find(path, in: document) else { throw .root }
            let count = item.level?.count ?? 0
            let rows = [Item.Step(level: row(title), row: 0)]
            document = try editor.document(inserting: rows, at: RowPlace(offset: count), below: item)
            guard case .found(let parent) = Item.find(path, in: document), let level = parent.level else { throw .root }
            _ = level
            return .present(parent, isNew: true)
        case .delete(let path):
            guard case .found(let item) = Item.find(path, in: document) else { throw .root }
            document = try editor.document(removing: item)
            return .deleted
        default: throw .root
        }
    }

    private static func row(_ title: String) -> Level {
        let text = "[\"\(title)\"]"
        do {
            let tree = try Interpretation().readOrAdvise(.memory(Array(text.utf8)), as: .json, pool: nil)
            return tree.document.child(0) ?? tree.document
        } catch {
            preconditionFailure()
        }
    }
}
