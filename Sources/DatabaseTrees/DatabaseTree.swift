internal import Heap
public import Levels
internal import PropertyLists
import Threads
public import TreeSources

/// The source of a tree that is kept in a database.
///
/// The whole tree is held in memory, like the tree of a file. Edits are written in transactions. Changes by other
/// programs are read from the log in the database.
public struct DatabaseTree: TreeSource {
    public let name: String
    private let interpretation: Interpretation
    /// The longest time that the first load waits for a database that is not connected or is locked.
    private let patience: Duration
    private let onNotice: NoticeHandler
    private let open: @Sendable () -> any TreeDatabase

    /// Receives notices, for logs.
    public typealias NoticeHandler = @Sendable (SourceNotice) -> Void

    init(
        name: String, interpretation: Interpretation, patience: Duration, onNotice: @escaping NoticeHandler,
        open: @escaping @Sendable () -> any TreeDatabase
    ) {
        (self.name, self.interpretation, self.patience) = (name, interpretation, patience)
        (self.onNotice, self.open) = (onNotice, open)
    }

    /// Returns the tree in a SQLite file.
    ///
    /// - Parameters:
    ///   - path: the path of the file. The file need not exist before the tree is loaded.
    ///   - name: the name of the source, as the user gave it.
    ///   - patience: the longest time that a watcher's first load waits for the database.
    ///   - onNotice: receives notices, for logs.
    public static func sqlite(
        path: String, name: String, interpretation: Interpretation = .init(), patience: Duration = .zero,
        onNotice: @escaping NoticeHandler = { _ in }
    ) -> DatabaseTree {
        DatabaseTree(name: name, interpretation: interpretation, patience: patience, onNotice: onNotice) {
            SQLiteTree(path: path, name: name, settlingTime: .seconds(1), onNotice: onNotice)
        }
    }

    /// Whether the file at a path is a SQLite database.
    public static func isSQLite(path: String) -> Bool { SQLiteConnection.isDatabase(path) }

    /// Returns whether a text looks like the address of a tree in PostgreSQL, valid or not.
    public static func isPostgres(address: String) -> Bool { PostgresAddress.isMeant(by: address) }

    /// Returns whether the address of a PostgreSQL database names a tree.
    public static func isTree(address: String) -> Bool { PostgresAddress.namesTree(address) }

    /// Returns the tree in a schema of a PostgreSQL database.
    ///
    /// - Parameters:
    ///   - address: `postgres://[USER@]HOST[:PORT]/DATABASE?tree=NAME`.
    ///   - passwordFile: the file with the password of the role; nil if libpq finds a password itself.
    ///   - patience: the longest time that a watcher's first load waits for the database.
    ///   - onNotice: receives notices, for logs.
    /// - Throws: `SourceError` for an address that is not valid, or a file that cannot be read.
    public static func postgres(
        _ address: String, passwordFile: String?, interpretation: Interpretation = .init(), patience: Duration = .zero,
        onNotice: @escaping NoticeHandler = { _ in }
    ) throws(SourceError) -> DatabaseTree {
        let parsed = try PostgresAddress(address)
        let password = try passwordFile.map { path throws(SourceError) in try PasswordFile.read(path) }
        return DatabaseTree(name: parsed.shown, interpretation: interpretation, patience: patience, onNotice: onNotice)
        {
            PostgresTree(address: parsed, password: password, onNotice: onNotice)
        }
    }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        try DatabaseWatcher(source: self, database: open()).load(replacing: old)
    }

    public func makeWatcher() -> any SourceWatcher {
        DatabaseWatcher(source: self, database: open(), patience: patience)
    }

    /// Writes a document into the database, in one transaction.
    ///
    /// - Parameters:
    ///   - tree: the document, which must not refer to other files.
    ///   - keys: the names of structural keys, which the database stores unless they are the default ones.
    ///   - replaces: whether to replace an existing tree.
    /// - Throws: `SourceError` if the document cannot be kept in the database. The database is unchanged then.
    public func importDocument(
        _ tree: Tree, keys: StructuralNames, replaces: Bool
    ) throws(SourceError) {
        guard SettingsPage(tree) == nil else {
            throw SourceError(
                name, reason: "a settings page (PreferenceSpecifiers) cannot be kept in a database; serve its bundle")
        }
        let mapping = keys.mapping
        do throws(DatabaseError) {
            let target = try open().beginImport(keys: mapping.isEmpty ? nil : mapping, replaces: replaces)
            var writer = ItemWriter(target)
            try writer.write(tree.document)
            try target.finish()
        } catch {
            throw SourceError(name, reason: error.reason)
        }
    }

    private func noteWait(_ error: DatabaseError) {
        onNotice(.awaited(SourceError(name, reason: error.reason), seconds: Int(patience.components.seconds)))
    }

    /// Reads all rows of a database, and its counter.
    private func rows(
        of database: any TreeDatabase
    ) throws(DatabaseError) -> (rows: ItemRows, head: TreeHead) {
        var rows = ItemRows()
        let head = try database.readItems { (place, fields) throws(DatabaseError) in
            guard !place.hasReservedID else {
                throw DatabaseError(
                    kind: .other,
                    reason: "items[\(place.id)]: the id \(Int64.min) is reserved; give the item another id")
            }
            rows.add(place, fields: fields)
            guard rows.isComplete else {
                throw DatabaseError(kind: .away, reason: "there is not enough memory for its items")
            }
        }
        return (rows, head)
    }

    /// The result of reading a tree.
    struct Read {
        let tree: Tree
        /// The ids of the items with a real that was rounded.
        let rounded: [Int64]
        let index: ItemIndex
        let head: TreeHead
        /// The interpretation, with the structural names that the database stores.
        let interpretation: Interpretation
        /// The latest revisions.
        let history: [RevisionEntry]
    }

    /// The number of earlier revisions that clients can ask for after a start. The store remembers the same number.
    private static let shownRevisions = 16_384

    /// Reads the whole tree.
    func read(
        _ database: any TreeDatabase, pool: LevelPool?, patience: Duration = .zero
    ) throws(SourceError) -> Read {
        let rows: ItemRows
        let head: TreeHead
        var interpretation = interpretation
        interpretation.shape = .items
        let history: [RevisionEntry]
        do throws(DatabaseError) {
            (rows, head) = try waiting(patience, onWait: noteWait) { () throws(DatabaseError) in
                try self.rows(of: database)
            }
            interpretation.names = try StructuralNames(keys: head.keys)
            let head = head
            history = try database.history(upTo: head, limit: Self.shownRevisions)
                .map { RevisionEntry(name: head.name(of: $0.number), date: $0.date, cause: $0.cause) }
        } catch {
            throw SourceError(name, reason: error.reason)
        }
        let table = ItemTable(rows)
        var reader = ItemReader(
            table: table, names: interpretation.names, limits: interpretation.treeLimits,
            values: interpretation.propertyListLimits, pool: pool)
        do throws(PropertyListError) {
            let tree = try reader.tree()
            return Read(
                tree: tree, rounded: reader.rounded,
                index: try ItemIndex(table: table, document: tree.document, reader: reader), head: head,
                interpretation: interpretation, history: history)
        } catch {
            throw SourceError(
                reader.culprit.map { "\(name): items[\($0)]" } ?? name, reason: error.reason, path: error.path)
        }
    }
}

extension ItemIndex {
    /// Creates the index of a tree that was made from the rows of a table.
    ///
    /// - Parameter reader: the reader that made the tree. If sections are a dictionary, the level may have them in
    ///   another order than the table.
    /// - Throws: `PropertyListError` if rows belong to a section that is not shown.
    fileprivate init(table: ItemTable, document: Level, reader: borrowing ItemReader) throws(PropertyListError) {
        self.init()
        placeless = reader.placeless
        for id in table.parents {
            setRows(
                table.rows(below: id).map { row in
                    Slot(id: table.place(row).id, position: table.place(row).position)
                }, below: id)
        }
        for id in reader.named {
            guard let path = path(of: id) else { continue }
            var step = Item.Step(level: document, row: 0)
            for row in path {
                guard let level = step.below, row < level.rowCount else { return }
                step = Item.Step(level: level, row: row)
            }
            guard let level = step.below else { continue }
            let rows = table.rows(below: id)
            let written = level.sectionsAsWritten
            guard rows.count >= level.count else { throw .itemAmongFields(of: id) }
            guard rows.count == level.count else {
                throw PropertyListError(
                    reason:
                        "the item \(id) has rows in a section that its 'SectionKeys' leaves out; name the section there"
                )
            }
            var lists = [[Slot]](repeating: [], count: level.sectionCounts.count)
            for row in rows {
                let place = table.place(row)
                lists[written[place.section]].append(Slot(id: place.id, position: place.position))
            }
            setRows(lists.flatMap(\.self), below: id)
        }
    }
}
