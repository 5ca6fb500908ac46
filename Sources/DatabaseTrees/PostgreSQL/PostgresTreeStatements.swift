/// The statements that read and write a tree. Values are bound. The name of the schema is part of the text, as an
/// identifier with its quotes.
struct PostgresTreeStatements {
    let schema: String
    /// The name of the tree, as it appears in notifications.
    let tree: String
    /// The maximum size of an item's fields, in bytes.
    var mostBytes = ItemRow.mostBytes

    // MARK: Reading

    /// Reads the counter. The columns are format, epoch, revision, oldest, keys, mark, and the time in seconds since
    /// 1970.
    var head: PostgresStatement {
        PostgresStatement(
            """
            SELECT h.format, h.epoch, h.revision, h.oldest, h.keys, r.mark, extract(epoch FROM r.at)::float8
            FROM \(schema).head h LEFT JOIN \(schema).revisions r ON r.revision = h.revision
            """)
    }

    /// Reads the columns of `head`, and the mark of the revision $1.
    var headAndMark: PostgresStatement {
        PostgresStatement(
            """
            SELECT h.format, h.epoch, h.revision, h.oldest, h.keys, r.mark, extract(epoch FROM r.at)::float8,
              (SELECT mark FROM \(schema).revisions WHERE revision = $1)
            FROM \(schema).head h LEFT JOIN \(schema).revisions r ON r.revision = h.revision
            """)
    }

    var items: String {
        "COPY (SELECT id, parent, section, position, CASE WHEN \(isShort("fields")) THEN fields END FROM \(schema).items) TO STDOUT (FORMAT binary)"
    }

    /// Returns a condition that fields can be read. Most are shorter even than their stored form could be, which need not
    /// be unpacked for the answer: compression saves at most 254 of 255 bytes.
    private func isShort(_ fields: String) -> String {
        "(pg_column_size(\(fields)) <= \(mostBytes / 255) OR octet_length(\(fields)::text) <= \(mostBytes))"
    }

    /// Reads the revisions after $1 with their changes, up to a limit. Fields that are too large are empty. Each row has the columns of a revision (number,
    /// mark, seconds since 1970, author, writer, is_whole) and of a change (item, parent, section, position, fields).
    var log: PostgresStatement {
        PostgresStatement(
            """
            SELECT r.revision, r.mark, extract(epoch FROM r.at)::float8, r.author, r.writer, r.is_whole,
              c.item, c.parent, c.section, c.position,
              CASE WHEN c.fields IS NULL OR \(isShort("c.fields")) THEN c.fields::text ELSE '' END
            FROM (SELECT * FROM \(schema).revisions WHERE revision > $1 ORDER BY revision LIMIT \(Self.mostRevisions)) r
            LEFT JOIN \(schema).changes c ON c.revision = r.revision AND c.revision > $1
            ORDER BY r.revision, c.seq LIMIT \(Self.mostRows)
            """)
    }

    /// The largest numbers of revisions and of rows that `log` returns. The rows of a single revision never reach the
    /// limit.
    static let mostRevisions = 1_000
    static let mostRows = 10 * LoggedRevision.mostChanges + 1

    /// Reads at most $2 revisions up to the revision $1, the latest first.
    var history: PostgresStatement {
        PostgresStatement(
            """
            SELECT revision, mark, extract(epoch FROM at)::float8, author, writer, is_whole
            FROM \(schema).revisions WHERE revision <= $1 ORDER BY revision DESC LIMIT $2
            """)
    }

    /// Reserves the next ids for new items.
    func ids(_ count: Int) -> PostgresStatement {
        PostgresStatement("SELECT nextval(pg_get_serial_sequence($1, 'id')) FROM generate_series(1, $2)")
            .with(schema + ".items").with(Int64(count))
    }

    // MARK: Writing

    static let begin = PostgresStatement("BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = PostgresStatement("COMMIT")

    /// Checks deferred constraints immediately. Runs after each request, to find the request that violates a
    /// constraint.
    static let checkAtOnce = PostgresStatement("SET CONSTRAINTS ALL IMMEDIATE")

    var lock: PostgresStatement { PostgresStatement("SELECT revision FROM \(schema).head FOR UPDATE") }

    /// Finds a process that holds a lock of the tree and does not wait for a lock itself. The columns are the number of
    /// the process, its role and its program.
    var holder: PostgresStatement {
        PostgresStatement(
            """
            SELECT pid::text, usename::text, application_name FROM pg_stat_activity WHERE pid <> pg_backend_pid()
              AND pid IN (SELECT pid FROM pg_locks WHERE relation IN ($1::regclass, $2::regclass) AND granted
                AND mode <> 'AccessShareLock')
              AND pid NOT IN (SELECT pid FROM pg_locks WHERE NOT granted) LIMIT 1
            """
        ).with(schema + ".head").with(schema + ".items")
    }

    /// Counts the revision up from $2 by $1 and sets the epoch to $5, if the mark of the revision is $3 and the epoch
    /// is $4. Logs the new revisions: $6 to $9 are their marks, their authors, whether they are whole, and their times
    /// in milliseconds since 1970. Sends the notification $10. Turns the triggers off for this transaction.
    ///
    /// If the revision, its mark or the epoch differs, a division by zero fails the transaction without a second round
    /// trip.
    private var count: String {
        """
        WITH counted AS (
            UPDATE \(schema).head SET revision = revision + $1, epoch = $5 WHERE revision = $2 AND epoch = $4
              AND ($3 IS NULL OR EXISTS (SELECT 1 FROM \(schema).revisions WHERE revision = $2 AND mark = $3::uuid))
            RETURNING 1),
          logged AS (
            INSERT INTO \(schema).revisions (revision, mark, author, writer, is_whole, at)
            SELECT $2 + n, mark::uuid, author, 'server', is_whole = 1,
              timestamptz 'epoch' + at * interval '1 millisecond'
            FROM unnest($6, $7, $8, $9) WITH ORDINALITY AS r (mark, author, is_whole, at, n))
        SELECT 1 / count(*), set_config('drilldown.writer', 'server', true), pg_notify('drilldown', $10) FROM counted
        """
    }

    /// The SQLSTATE of a division by zero. A statement that has written nothing fails with this state.
    static let nothingWritten = "22012"

    /// Returns the statements that remove the revisions before `first` from the log.
    func trims(to first: Int64) -> [PostgresStatement] {
        [
            "DELETE FROM \(schema).changes WHERE revision < $1", "DELETE FROM \(schema).revisions WHERE revision < $1",
            "UPDATE \(schema).head SET oldest = $1 WHERE oldest < $1",
        ].map { PostgresStatement($0).with(first) }
    }

    /// Logs changes. The values are the revisions, items, parents, sections, positions and fields of the changes.
    private var changes: String {
        """
        INSERT INTO \(schema).changes (revision, item, parent, section, position, fields)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6)
        """
    }

    /// The text of the notification of a revision.
    func news(_ revision: Int64) -> String { "\(tree) \(revision)" }

    func notify(_ revision: Int64) -> PostgresStatement {
        PostgresStatement("SELECT pg_notify('drilldown', $1)").with(news(revision))
    }

    /// Logs a revision without changes after the revision $1. From then on, statements that expect the revision $1
    /// fail. If the latest revision is not $1, the fence fails as `count` does.
    var fence: PostgresStatement {
        PostgresStatement(
            """
            WITH counted AS (UPDATE \(schema).head SET revision = revision + 1 WHERE revision = $1 RETURNING revision),
              logged AS (INSERT INTO \(schema).revisions (revision, writer) SELECT revision, 'server fence' FROM counted
                RETURNING 1)
            SELECT 1 / count(*) FROM logged
            """)
    }

    /// Counts the revisions after $1 that have one of the marks $2.
    var marks: PostgresStatement {
        PostgresStatement("SELECT count(*) FROM \(schema).revisions WHERE revision > $1 AND mark::text = ANY($2)")
    }

    // MARK: Prepared statements

    /// Prepares the statements of a commit.
    func prepare(on connection: PostgresConnection) throws(PostgresFailure) {
        try connection.prepare(
            "count", text: count,
            types: [.int8, .int8, .text, .text, .text, .texts, .texts, .int4s, .int8s, .text])
        try connection.prepare("changes", text: changes, types: [.int8s, .int8s, .int8s, .int4s, .int8s, .jsons])
        try connection.prepare("BEGIN", text: Self.begin.text, types: [])
        try connection.prepare("COMMIT", text: Self.commit.text, types: [])
        // A trigger of the owner may change a row before it is written. Then the statement fails.
        let place = "(parent, section, position) IS NOT DISTINCT FROM ($2, $3, $4)"
        let written = "RETURNING 1) SELECT 1 / count(*) FROM written"
        let isAsPlanned = "SELECT 1 / count(*) FROM written WHERE is_as_planned"
        try connection.prepare(
            "insert",
            text: """
                WITH written AS (INSERT INTO \(schema).items (id, parent, section, position, fields)
                  VALUES ($1, $2, $3, $4, $5) RETURNING \(place) AND fields::text = $5::text AS is_as_planned)
                \(isAsPlanned)
                """, types: [.int8, .int8, .int4, .int8, .json])
        try connection.prepare(
            "update",
            text: """
                WITH written AS (UPDATE \(schema).items SET parent = $2, section = $3, position = $4, fields = $5
                  WHERE id = $1 RETURNING \(place) AND fields::text = $5::text AS is_as_planned)
                \(isAsPlanned)
                """, types: [.int8, .int8, .int4, .int8, .json])
        try connection.prepare(
            "fields",
            text: """
                WITH changed AS (UPDATE \(schema).items SET fields = $2 WHERE id = $1
                    RETURNING id, parent, section, position, fields),
                  written AS (INSERT INTO \(schema).changes (revision, item, parent, section, position, fields)
                    SELECT $3, id, parent, section, position, fields FROM changed WHERE fields::text = $2::text \(written)
                """, types: [.int8, .json, .int8])
        try connection.prepare(
            "fieldsOfRows",
            text: """
                WITH changed AS (UPDATE \(schema).items i SET fields = n.fields
                    FROM unnest($1, $2, $3) AS n (id, fields, revision) WHERE i.id = n.id
                    RETURNING n.revision, i.id, i.parent, i.section, i.position, i.fields,
                      i.fields::text = n.fields::text AS is_as_planned),
                  written AS (INSERT INTO \(schema).changes (revision, item, parent, section, position, fields)
                    SELECT revision, id, parent, section, position, fields FROM changed WHERE is_as_planned RETURNING 1)
                SELECT 1 / (count(*) = cardinality($1))::int FROM written
                """, types: [.int8s, .jsons, .int8s])
        try connection.prepare(
            "place",
            text: """
                WITH placed AS (UPDATE \(schema).items i SET parent = $2, section = $3, position = $4
                    FROM \(schema).items o WHERE i.id = $1 AND o.id = $1
                    RETURNING i.*, i.fields::text = o.fields::text AS has_same_fields),
                  written AS (INSERT INTO \(schema).changes (revision, item, parent, section, position, fields)
                    SELECT $5, id, parent, section, position, fields FROM placed
                    WHERE has_same_fields AND \(place) \(written)
                """, types: [.int8, .int8, .int4, .int8, .int8])
        try connection.prepare(
            "delete", text: "WITH written AS (DELETE FROM \(schema).items WHERE id = $1 \(written)", types: [.int8])
    }
}

extension ItemWrite {
    /// The prepared statement with the values of this write.
    ///
    /// - Parameter revision: the revision that the request becomes.
    func statement(in revision: Int64) -> PostgresStatement {
        switch self {
        case .insert(let row): row.statement("insert")
        case .update(let row): row.statement("update")
        case .fields(let row): ItemRow.statement([(row, revision)])
        case .place(let place): place.statement("place").with(revision)
        case .delete(let item): PostgresStatement(prepared: "delete").with(item)
        }
    }

    var item: Int64 {
        switch self {
        case .insert(let row), .update(let row), .fields(let row): row.place.id
        case .place(let place): place.id
        case .delete(let item): item
        }
    }
}

extension ItemRow {
    fileprivate func statement(_ name: String) -> PostgresStatement { place.statement(name).with(json: fields) }

    /// The statement that writes and logs the fields of different rows, each in a revision.
    static func statement(_ rows: [(row: ItemRow, revision: Int64)]) -> PostgresStatement {
        if rows.count == 1 {
            return PostgresStatement(prepared: "fields").with(rows[0].row.place.id).with(json: rows[0].row.fields)
                .with(rows[0].revision)
        }
        return PostgresStatement(prepared: "fieldsOfRows").with(rows.map { Optional($0.row.place.id) })
            .with(json: rows.map { Optional($0.row.fields) }).with(rows.map { Optional($0.revision) })
    }
}

extension ItemPlace {
    fileprivate func statement(_ name: String) -> PostgresStatement {
        PostgresStatement(prepared: name).with(id).with(parent).with(Int32(clamping: section)).with(position)
    }
}
