internal import Levels
internal import PropertyLists

/// Edits of the controls of a settings page. They are saved to the page's values document.
final class ControlEdits: EditGroup {
    private let file: ValuesFile
    /// The loaded page.
    private let base: LoadedPage
    private let stored: StoredValues
    /// The page with the edits so far.
    private var latest: LoadedPage
    private var values: PropertyListDictionary
    private let saveWorker: SaveWorker
    private let onSave: (LoadedPage) -> Void

    /// - Parameters:
    ///   - page: the loaded page.
    ///   - stored: the values that the page shows.
    ///   - saveWorker: the thread for saves.
    ///   - onSave: called after a save, with the saved page.
    init(
        of page: LoadedPage, showing stored: StoredValues, in file: ValuesFile, saveWorker: SaveWorker,
        onSave: @escaping (LoadedPage) -> Void
    ) {
        self.file = file
        self.stored = stored
        self.saveWorker = saveWorker
        self.onSave = onSave
        base = page
        latest = page
        values = stored.values
    }

    func apply(_ batch: EditBatch, by author: String?) throws(EditRefusal) -> EditedTree? {
        var values = values
        var paths: [ItemPath] = []
        for (number, edit) in batch.edits.enumerated() {
            do throws(EditRefusal) {
                paths.append(try change(&values, by: edit, isExact: batch.isExact))
            } catch {
                throw EditRefusal(error.kind, detail: error.detail, step: number)
            }
        }
        let page = try composed(showing: values)
        let document = page.tree.document
        let items = try paths.map { path throws(EditRefusal) in
            EditedItem.present(try Self.control(path, in: document), isNew: false)
        }
        (self.values, latest) = (values, page)
        return EditedTree(document: document, translations: page.tree.translations, items: items)
    }

    func replaceDocument(with bytes: [UInt8], by author: String?) throws(EditRefusal) -> EditedTree {
        throw Self.onlyValues
    }

    func save() throws(SaveError) -> Fingerprint? {
        guard hasUnshownChanges else { return base.fingerprint }
        let stored = try file.save(values, over: self.stored, worker: saveWorker)
        let saved = latest.saving(stored)
        onSave(saved)
        return saved.fingerprint
    }

    func finish() { saveWorker.beginClosing() }

    var hasUnshownChanges: Bool { values != stored.values }

    // MARK: One edit

    /// Sets or removes the value of a control. Returns the path of the control.
    private func change(
        _ values: inout PropertyListDictionary, by edit: Edit, isExact: Bool
    ) throws(EditRefusal) -> ItemPath {
        guard case .patch(.dictionary(let patch), let path) = edit else { throw Self.onlyValues }
        let item = try Self.control(path, in: latest.tree.document)
        guard let control = item.own.level.control(ofRow: item.own.row) else { throw Self.onlyValues }
        guard patch.entries.count == 1, let value = patch["Value"] else { throw Self.onlyValues }
        guard case .string(let key) = control["key"] else { throw Self.noKey }
        if value == .null {
            values[key] = nil
        } else {
            values[key] = try ControlCheck.stored(value, for: control, isExact: isExact)
        }
        return path
    }

    /// The item at a path. If the last key of the path belongs to a radio group, this is the row of the selected
    /// choice, or else of the first choice.
    private static func control(_ path: ItemPath, in document: Level) throws(EditRefusal) -> Item {
        if case .missing(let nearest, let number) = Item.find(path, in: document), number == path.count - 1,
            let level = nearest.own.below, let row = level.radioRow(ofGroup: path.key(number))
        {
            return Item(nearest.steps + [Item.Step(level: level, row: row)])
        }
        return try item(path, in: document)
    }

    private static func item(_ path: ItemPath, in document: Level) throws(EditRefusal) -> Item {
        switch Item.find(path, in: document) {
        case .found(let item): return item
        case .missing(let nearest, let number):
            let key = path.key(number)
            throw EditRefusal(
                .noSuchItem(key, nearest: nearest), detail: "There is no '\(quoted: key)' in \(nearest.titlePath).")
        }
    }

    private func composed(showing values: PropertyListDictionary) throws(EditRefusal) -> LoadedPage {
        var stored = stored
        stored.values = values
        do throws(SourceError) {
            return try latest.storing(stored)
        } catch {
            throw EditRefusal(.conflict, detail: error.reason.prefix(1).uppercased() + error.reason.dropFirst() + ".")
        }
    }

    private static let onlyValues = EditRefusal(
        .conflict,
        detail:
            "A settings page cannot be edited; only the values of its controls can be set, each by a patch with 'Value' alone."
    )
    private static let noKey = EditRefusal(
        .conflict,
        detail: "This control has no 'Key' under which its value could be stored; give it one in the settings page.")
}
