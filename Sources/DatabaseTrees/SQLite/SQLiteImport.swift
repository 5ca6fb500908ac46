internal import Files
internal import Glibc
internal import Levels

/// Writes a whole tree to a SQLite file. A new file gets its name when it is complete. In an existing file with a tree,
/// the import replaces the tree in one transaction.
final class SQLiteImport: TreeImport {
    /// The new file; nil if the tree in an existing file is replaced.
    private let newFile: NewFile?
    private let connection: SQLiteConnection
    private let keys: String?
    private let names: StructuralNames
    private let insertion: SQLiteStatement
    /// Whether the table `items` is new, without its column of titles.
    private let isNewTable: Bool
    /// The statements that create the user's own indexes and triggers of `items` again.
    private let usersStatements: [String]
    private var isFinished = false

    init(path: String, keys: String?, replaces: Bool) throws(DatabaseError) {
        (self.keys, names) = (keys, try StructuralNames(keys: keys))
        if FileIdentity(path: path) != nil {
            // Reading the counter opens and checks the file.
            let old = try SQLiteTree(path: path, name: path).head()
            guard replaces else {
                throw DatabaseError(kind: .other, reason: "the file exists; add --replace to replace the tree in it")
            }
            newFile = nil
            connection = try SQLiteConnection(path: path)
            // The constraints of the table contain the names of the structural keys.
            isNewTable = old.keys != keys
            try connection.execute(
                "PRAGMA foreign_keys = OFF; PRAGMA synchronous = FULL; BEGIN IMMEDIATE; \(SQLiteSchema.removals)")
            usersStatements = isNewTable ? try Self.usersStatements(on: connection) : []
            try connection.execute(
                "DELETE FROM changes WHERE revision IS NULL; \(isNewTable ? "DROP TABLE items" : "DELETE FROM items")")
        } else {
            let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
            guard FileIdentity(path: folder.isEmpty ? "/" : folder) != nil else {
                throw DatabaseError(kind: .other, reason: "the folder '\(folder)' does not exist; make it first")
            }
            let file = try NewFile(path)
            (newFile, isNewTable, usersStatements) = (file, true, [])
            connection = try SQLiteConnection(path: file.temporary, for: .create)
            try connection.execute(
                """
                PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
                PRAGMA application_id = \(SQLiteSchema.applicationID); BEGIN; \(SQLiteSchema.tables)
                """)
        }
        if isNewTable {
            // The writer obeys the constraints of a new table; checking them would parse each text three times.
            try connection.execute("PRAGMA ignore_check_constraints = ON; \(SQLiteSchema.items(names))")
        }
        insertion = try connection.statement(
            "INSERT INTO items (id, parent, section, position, fields) VALUES (?, ?, ?, ?, ?)")
    }

    deinit {
        if !isFinished { connection.rollBack() }
    }

    func add(_ place: ItemPlace, fields: Span<UInt8>) throws(DatabaseError) {
        insertion.reset()
        insertion.bind(place.id, at: 1)
        if let parent = place.parent { insertion.bind(parent, at: 2) }
        insertion.bind(Int64(place.section), at: 3)
        insertion.bind(place.position, at: 4)
        insertion.bind(fields, at: 5)
        _ = try connection.step(insertion)
    }

    func finish() throws(DatabaseError) {
        insertion.reset()
        do throws(DatabaseError) {
            try connection.execute((isNewTable ? SQLiteSchema.title(names) : "") + SQLiteSchema.indexes(names))
        } catch {
            throw try unusableKey() ?? error
        }
        try connection.execute(SQLiteSchema.triggers)
        for statement in usersStatements { try connection.run(SQL(verbatim: statement)) }
        let ending = SQLiteTree.statements.importing(keys: keys, oldest: newFile == nil ? nil : 1)
        for statement in ending { try connection.run(statement) }
        try connection.execute("COMMIT")
        isFinished = true
        guard let newFile else { return }
        try connection.execute("PRAGMA journal_mode = WAL")
        try newFile.rename()
    }

    /// Returns the statements that create the indexes and triggers that are left on `items`: the user's own.
    ///
    /// - Throws: `DatabaseError` if the user has added columns, which a new table would lack.
    private static func usersStatements(on connection: SQLiteConnection) throws(DatabaseError) -> [String] {
        let columns = try connection.first(
            """
            SELECT group_concat(name, ', ') FROM pragma_table_xinfo('items')
            WHERE name NOT IN ('id', 'parent', 'section', 'position', 'fields', 'title')
            """)
        if let names = columns?[0].string {
            throw DatabaseError(
                kind: .other,
                reason:
                    "a tree with other structural keys cannot keep the columns that were added to 'items' (\(names)); "
                    + "drop them, or import into a new file")
        }
        return try connection.allRows(
            """
            SELECT sql FROM sqlite_master
            WHERE tbl_name = 'items' AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid
            """
        ).compactMap(\.[0].string)
    }

    /// The reason why a key is not unique: older versions of SQLite ignore the part of a key after U+0000. Returns nil for
    /// another reason.
    private func unusableKey() throws(DatabaseError) -> DatabaseError? {
        for name in names[.key] {
            guard
                let id = try connection.first(
                    SQL(verbatim: SQLiteSchema.repeatedKey(names, withZeroIn: name)))?[0].integer
            else {
                continue
            }
            return DatabaseError(
                kind: .other,
                reason: "the field '\(name)' of items[\(id)] contains U+0000, where a key ends for SQLite, "
                    + "so another item has the same key; remove it")
        }
        return nil
    }
}

/// A file that gets its name when it is complete. Until then, its name ends in `.importing`, and it is locked. The next
/// import removes the remains of a killed import.
private final class NewFile {
    let path, temporary: String
    private let descriptor: Int32
    private var isOurs = false

    init(_ path: String) throws(DatabaseError) {
        (self.path, temporary) = (path, path + ".importing")
        descriptor = unsafe open(temporary, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        try check(descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
            FileIdentity(path: temporary)?.isSameFile(as: FileIdentity(ofOpen: descriptor)) == true
        else { throw DatabaseError(kind: .busy, reason: "another import is writing the file; wait for its end") }
        isOurs = true
        for ending in ["-wal", "-shm"] { _ = unsafe unlink(temporary + ending) }
        try check(ftruncate(descriptor, 0))
    }

    deinit {
        if isOurs { _ = unsafe unlink(temporary) }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Gives the file its name, and returns when the content and the name are on disk.
    func rename() throws(DatabaseError) {
        try check(fsync(descriptor))
        try check(unsafe Glibc.rename(temporary, path))
        isOurs = false
        let folder = unsafe open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC)
        defer { if folder >= 0 { close(folder) } }
        try check(folder)
        try check(fsync(folder))
    }

    private func check(_ result: Int32) throws(DatabaseError) {
        guard result < 0 else { return }
        throw DatabaseError(
            kind: .noSpace, reason: "the file cannot be written: \(unsafe String(cString: strerror(errno)))")
    }
}

extension StructuralNames {
    /// Creates the names from the column `head.keys`; the default names if the column is NULL or empty.
    init(keys: String?) throws(DatabaseError) {
        guard let keys, !keys.isEmpty else {
            self.init()
            return
        }
        do throws(StructuralNamesError) {
            try self.init(mapping: keys)
        } catch {
            throw DatabaseError(kind: .other, reason: "the names in 'head.keys' cannot be used: \(error.reason)")
        }
    }
}
