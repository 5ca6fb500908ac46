internal import Levels

extension PostgresTree {
    func beginImport(keys: String?, replaces: Bool) throws(DatabaseError) -> any TreeImport {
        try PostgresImport(into: self, keys: keys, replaces: replaces)
    }
}

/// Writes a whole tree in one transaction. For a new tree, creates a schema, and adds its constraints, indexes and
/// triggers after the rows. For an existing tree, takes the lock of the tree and replaces the rows.
final class PostgresImport: TreeImport {
    private let tree: PostgresTree
    private let keys: String?
    private let connection: PostgresConnection
    private let schema: PostgresSchema
    /// The counter of the tree that is replaced; nil for a new schema.
    private let old: TreeHead?
    private var piece = BinaryRows.header
    private var isFinished = false

    private static let pieceBytes = 64 << 10

    fileprivate init(into tree: PostgresTree, keys: String?, replaces: Bool) throws(DatabaseError) {
        (self.tree, self.keys) = (tree, keys)
        tree.releaseLock()
        let names = try StructuralNames(keys: keys)
        let (connection, place) = try tree.writing { connection throws(PostgresFailure) in
            // Creating the indexes of a large tree takes long. TCP detects a server that is gone.
            connection.patience = .seconds(86_400)
            try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0")
            return (connection, try Place(of: tree, on: connection))
        }
        self.connection = connection
        schema = PostgresSchema(tree: tree.address.tree, names: names, for: connection)
        guard place.isUTF8 else {
            throw DatabaseError(
                kind: .other, reason: "the database has another encoding than UTF8; make one with ENCODING 'UTF8'")
        }
        if place.isTree {
            old = try Self.lock(tree, replaces: replaces)
        } else if place.isEmpty {
            old = nil
        } else {
            throw DatabaseError(
                kind: .other,
                reason:
                    "the schema '\(tree.address.tree)' has tables of another program; name another tree, or remove the schema"
            )
        }
        let schema = schema
        let old = old
        try run { connection throws(PostgresFailure) in
            if let old {
                try connection.run("SET LOCAL drilldown.writer = 'server'; DELETE FROM \(schema.schema).items")
                if old.keys != keys { try connection.run(schema.withoutNamedRules + schema.namedRules) }
            } else {
                if !place.exists { try connection.run("CREATE SCHEMA \(schema.schema)") }
                try connection.run(schema.tables)
            }
            // FREEZE marks the rows as visible to all transactions. FREEZE is allowed only for a table that this
            // transaction has created.
            try connection.beginCopyIn(
                "COPY \(schema.schema).items (id, parent, section, position, fields) FROM STDIN (FORMAT binary\(old == nil ? ", FREEZE" : ""))"
            )
        }
    }

    deinit {
        // When the connection closes, the server undoes the unfinished transaction.
        if !isFinished { tree.writer.close() }
    }

    /// Takes the lock of the existing tree, and returns the counter of the tree.
    private static func lock(_ tree: PostgresTree, replaces: Bool) throws(DatabaseError) -> TreeHead {
        func head() throws(DatabaseError) -> TreeHead {
            try tree.head(
                tree.writing { connection throws(PostgresFailure) in
                    try connection.query(tree.statements.common.head()).first
                })
        }
        _ = try head()
        guard replaces else {
            tree.writer.close()
            throw DatabaseError(
                kind: .other,
                reason: "the database already has a tree named '\(tree.address.tree)'; use --replace to replace it")
        }
        _ = try tree.writing { connection throws(PostgresFailure) in try connection.query(tree.statements.lock) }
        return try head()
    }

    private func run(_ body: (PostgresConnection) throws(PostgresFailure) -> Void) throws(DatabaseError) {
        do throws(PostgresFailure) {
            try body(connection)
        } catch {
            throw tree.failed(error)
        }
    }

    // MARK: TreeImport

    func add(_ place: ItemPlace, fields: Span<UInt8>) throws(DatabaseError) {
        if let text = UnstorableText.find(in: fields) {
            throw DatabaseError(kind: .other, reason: text.reason(item: place.id))
        }
        BinaryRows.append(place, fields: fields, to: &piece)
        if piece.count >= Self.pieceBytes { try send() }
    }

    private func send() throws(DatabaseError) {
        let bytes = piece
        piece.removeAll(keepingCapacity: true)
        try run { connection throws(PostgresFailure) in try connection.copyIn(bytes.span) }
    }

    func finish() throws(DatabaseError) {
        piece += BinaryRows.end
        try send()
        try run { connection throws(PostgresFailure) in
            try connection.endCopyIn()
            if old == nil { try connection.run(schema.rules + schema.functions + schema.triggers) }
            try connection.pipeline(lastStatements)
        }
        isFinished = true
    }

    /// The statements that count and log the revision of the import, set the next id, and commit.
    private var lastStatements: [SQL] {
        let statements = tree.statements
        return statements.common.importing(keys: keys, oldest: old == nil ? 2 : nil) + [
            statements.settingIDs, statements.notify((old?.revision ?? 0) + 1), PostgresTreeStatements.commit,
        ]
    }
}

/// The present content of the schema of a tree.
private struct Place {
    let exists: Bool
    /// Whether the schema contains no tables.
    let isEmpty: Bool
    /// Whether the schema contains the tables of a tree.
    let isTree: Bool
    let isUTF8: Bool

    init(of tree: PostgresTree, on connection: PostgresConnection) throws(PostgresFailure) {
        let name: SQL = "\(text: tree.address.tree)"
        let flags =
            try connection.query(
                """
                SELECT to_regnamespace(\(text: ("\(identifier: tree.address.tree)" as SQL).text)) IS NOT NULL,
                  NOT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = \(name)),
                  (SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = \(name)
                    AND c.relname = 'head' AND a.attname IN ('format', 'epoch', 'revision')) = 3,
                  current_setting('server_encoding') = 'UTF8'
                """
            ).first?.map { $0.string == "t" } ?? Array(repeating: false, count: 4)
        (exists, isEmpty, isTree, isUTF8) = (flags[0], flags[1], flags[2], flags[3])
    }
}
