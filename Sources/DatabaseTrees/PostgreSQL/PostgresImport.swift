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
        let names = try Self.names(keys)
        let (connection, place) = try tree.writing { connection throws(PostgresFailure) in
            // Creating the indexes of a large tree takes long. TCP detects a server that is gone.
            connection.patience = .seconds(86_400)
            try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0")
            return .success((connection, try Place(of: tree, on: connection)))
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

    private static func names(_ keys: String?) throws(DatabaseError) -> StructuralNames {
        do throws(StructuralNamesError) {
            return try keys.map { keys throws(StructuralNamesError) in try StructuralNames(mapping: keys) }
                ?? StructuralNames()
        } catch {
            throw DatabaseError(kind: .other, reason: error.reason)
        }
    }

    /// Takes the lock of the existing tree, and returns the counter of the tree.
    private static func lock(_ tree: PostgresTree, replaces: Bool) throws(DatabaseError) -> TreeHead {
        try tree.writing { connection throws(PostgresFailure) in
            let statements = tree.statements(for: connection)
            let head = tree.head(in: try connection.query(statements.head))
            guard case .success = head else { return head }
            guard replaces else {
                return .failure(
                    DatabaseError(
                        kind: .other,
                        reason:
                            "the database already has a tree named '\(tree.address.tree)'; use --replace to replace it"
                    ))
            }
            _ = try connection.query(statements.lock)
            return tree.head(in: try connection.query(statements.head))
        }
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

    /// The statements that write the counter, log the revision of the import, set the next id, and commit.
    private var lastStatements: [PostgresStatement] {
        let schema = schema.schema
        let revision = (old?.revision ?? 0) + 1
        let head =
            if old == nil {
                PostgresStatement(
                    "INSERT INTO \(schema).head (format, epoch, revision, oldest, keys) VALUES ($1, $2, $3, $4, $5)"
                ).with(Int32(TreeHead.format)).with(RandomNames.epoch()).with(revision).with(revision + 1).with(keys)
            } else {
                PostgresStatement("UPDATE \(schema).head SET revision = $1, keys = $2").with(revision).with(keys)
            }
        return [
            head,
            PostgresStatement(
                "INSERT INTO \(schema).revisions (revision, writer, is_whole) VALUES ($1, 'import', true)"
            ).with(revision),
            // The next id never becomes lower, because a server may have reserved ids.
            PostgresStatement(
                """
                SELECT setval(pg_get_serial_sequence($1, 'id'),
                  greatest((SELECT max(id) + 1 FROM \(schema).items), nextval(pg_get_serial_sequence($1, 'id')), 1), false)
                """
            ).with(schema + ".items"),
            PostgresTreeStatements(schema: schema, tree: tree.address.tree).notify(revision),
            PostgresTreeStatements.commit,
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
        let result = try connection.query(
            PostgresStatement(
                """
                SELECT to_regnamespace($2) IS NOT NULL,
                  NOT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1),
                  (SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                   JOIN pg_namespace n ON n.oid = c.relnamespace
                   WHERE n.nspname = $1 AND c.relname = 'head' AND a.attname IN ('format', 'epoch', 'revision')) = 3,
                  current_setting('server_encoding') = 'UTF8'
                """
            ).with(tree.address.tree).with(connection.quoted(identifier: tree.address.tree)))
        (exists, isEmpty) = (result.flag(0, column: 0), result.flag(0, column: 1))
        (isTree, isUTF8) = (result.flag(0, column: 2), result.flag(0, column: 3))
    }
}
