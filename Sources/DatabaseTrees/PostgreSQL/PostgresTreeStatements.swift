/// The statements that read and write a tree in PostgreSQL.
struct PostgresTreeStatements {
    /// The name of the tree, which is the name of its schema and appears in notifications.
    let tree: String
    /// The statements that do not depend on the database.
    let common: TreeStatements
    private let mostBytes: Int

    /// - Parameter mostBytes: the maximum size of an item's fields, in bytes.
    init(tree: String, mostBytes: Int = ItemRow.mostBytes) {
        (self.tree, self.mostBytes) = (tree, mostBytes)
        common = TreeStatements(
            schema: "\(identifier: tree).", seconds: "extract(epoch FROM r.at)::float8", now: "clock_timestamp()",
            fields: """
                CASE WHEN c.fields IS NULL OR \(Self.isShort("c.fields", mostBytes)) THEN c.fields::text ELSE '' END
                """)
    }

    private var schema: SQL { common.schema }
    private var head: SQL { "\(schema)head" }
    private var items: SQL { "\(schema)items" }

    // MARK: Reading

    /// The query that reads all items with COPY. Fields that are too large are NULL.
    var copiedItems: SQL {
        let fields: SQL = "CASE WHEN \(Self.isShort("fields", mostBytes)) THEN fields END"
        return "COPY (SELECT id, parent, section, position, \(fields) FROM \(items)) TO STDOUT (FORMAT binary)"
    }

    /// Returns a condition that fields can be read. Most are shorter even than their stored form could be, which need not
    /// be unpacked for the answer: compression saves at most 254 of 255 bytes.
    private static func isShort(_ fields: SQL, _ most: Int) -> SQL {
        """
        (pg_column_size(\(fields)) <= \(literal: most / 255) OR octet_length(\(fields)::text) <= \(literal: most))
        """
    }

    /// Reserves the next ids for new items.
    func ids(_ count: Int) -> SQL {
        "SELECT nextval(\(sequence)) FROM generate_series(1, \(literal: count))"
    }

    private var sequence: SQL { "pg_get_serial_sequence(\(text: items.text), 'id')" }

    /// Sets the next id after all items. The next id never becomes lower, because a server may have reserved ids.
    var settingIDs: SQL {
        "SELECT setval(\(sequence), greatest((SELECT max(id) + 1 FROM \(items)), nextval(\(sequence)), 1), false)"
    }

    // MARK: Committing

    static let begin: SQL = "BEGIN ISOLATION LEVEL READ COMMITTED"
    static let commit = PostgresConnection.commit

    /// Checks deferred constraints immediately. Runs after each request, to find the request that violates a
    /// constraint.
    static let checkAtOnce: SQL = "SET CONSTRAINTS ALL IMMEDIATE"

    var lock: SQL { "SELECT revision FROM \(head) FOR UPDATE" }

    /// Finds a process that holds a lock of the tree and does not wait for a lock itself. The columns are the number of
    /// the process, its role and its program.
    var holder: SQL {
        """
        SELECT pid::text, usename::text, application_name FROM pg_stat_activity WHERE pid <> pg_backend_pid()
          AND pid IN (SELECT pid FROM pg_locks WHERE granted AND mode <> 'AccessShareLock'
            AND relation IN (\(text: head.text)::regclass, \(text: items.text)::regclass))
          AND pid NOT IN (SELECT pid FROM pg_locks WHERE NOT granted) LIMIT 1
        """
    }

    /// Counts the revision up, sets the epoch, and logs the new revisions. Sends the notification. Turns the triggers off
    /// for this transaction.
    ///
    /// If the revision, its mark or the epoch differs from `last`, a division by zero fails the transaction without a
    /// second round trip.
    ///
    /// - Parameters:
    ///   - epoch: the epoch in the database.
    ///   - isWhole: returns whether the log lacks the changes of a request.
    func count(
        _ requests: [RevisionWrite], after last: TreeHead, epoch: String, isWhole: (RevisionWrite) -> Bool
    ) -> SQL {
        let count = Int64(requests.count)
        let isKnown: SQL =
            last.mark.map {
                "EXISTS (SELECT 1 FROM \(schema)revisions WHERE revision = \(last.revision) AND mark = \(text: $0))"
            } ?? "true"
        return """
            WITH counted AS (
                UPDATE \(head) SET revision = revision + \(count), epoch = \(text: last.epoch)
                WHERE revision = \(last.revision) AND epoch = \(text: epoch) AND \(isKnown) RETURNING 1),
              logged AS (
                INSERT INTO \(schema)revisions (revision, mark, author, writer, is_whole, at)
                SELECT \(last.revision) + n, mark::uuid, author, 'server', is_whole,
                  timestamptz 'epoch' + at * interval '1 millisecond'
                FROM unnest(\(array: requests.map { .text($0.mark) })::text[],
                  \(array: requests.map { .text($0.author) })::text[],
                  \(array: requests.map { .integer(isWhole($0) ? 1 : 0) })::bool[],
                  \(array: requests.map { .integer($0.date) })::int8[]) WITH ORDINALITY
                  AS r (mark, author, is_whole, at, n))
            SELECT 1 / count(*), set_config('drilldown.writer', 'server', true),
              pg_notify('drilldown', \(text: news(last.revision + count))) FROM counted
            """
    }

    /// The SQLSTATE of a division by zero. A statement that has written nothing fails with this state.
    static let nothingWritten = "22012"

    /// Logs changes, each with its revision.
    func log(_ changes: [(revision: Int64, item: Int64, row: ItemRow?)]) -> SQL {
        """
        INSERT INTO \(schema)changes (revision, item, parent, section, position, fields)
        SELECT * FROM unnest(\(array: changes.map { .integer($0.revision) })::int8[],
          \(array: changes.map { .integer($0.item) })::int8[], \(array: changes.map { .integer($0.row?.place.parent) })::int8[],
          \(array: changes.map { .integer($0.row?.place.storedSection) })::int4[],
          \(array: changes.map { .integer($0.row?.place.position) })::int8[],
          \(array: changes.map { $0.row.map { .text($0.fields) } ?? .null })::json[])
        """
    }

    /// The text of the notification of a revision.
    private func news(_ revision: Int64) -> String { "\(tree) \(revision)" }

    func notify(_ revision: Int64) -> SQL { "SELECT pg_notify('drilldown', \(text: news(revision)))" }

    /// Logs a revision without changes after a revision. From then on, statements that expect that revision fail. If it is
    /// not the latest, the fence fails as `count` does.
    func fence(after revision: Int64) -> SQL {
        """
        WITH counted AS (UPDATE \(head) SET revision = revision + 1 WHERE revision = \(revision) RETURNING revision),
          logged AS (INSERT INTO \(schema)revisions (revision, writer) SELECT revision, 'server fence' FROM counted
            RETURNING 1)
        SELECT 1 / count(*) FROM logged
        """
    }

    /// Counts the revisions after a revision that have one of the marks of some requests.
    func marks(of requests: [RevisionWrite], after revision: Int64) -> SQL {
        """
        SELECT count(*) FROM \(schema)revisions WHERE revision > \(revision)
          AND mark::text = ANY(\(array: requests.map { .text($0.mark) }))
        """
    }

    // MARK: Rows

    /// Returns the statement of a write. A trigger of the owner may change a row before it is written. Then the statement
    /// fails.
    ///
    /// - Parameter revision: the revision that the request becomes.
    func statement(_ write: ItemWrite, in revision: Int64) -> SQL {
        let written: SQL = "RETURNING 1) SELECT 1 / count(*) FROM written"
        switch write {
        case .insert(let row):
            return """
                WITH \(new(row)), written AS (
                  INSERT INTO \(items) (id, parent, section, position, fields) SELECT * FROM new RETURNING *)
                \(countAsPlanned)
                """
        case .update(let row):
            return """
                WITH \(new(row)), written AS (
                  UPDATE \(items) i SET parent = n.parent, section = n.section, position = n.position, fields = n.fields
                  FROM new n WHERE i.id = n.id RETURNING i.*)
                \(countAsPlanned)
                """
        case .fields(let row): return fields([(row, revision)])
        case .place(let place):
            let values: SQL = "\(place.parent), \(place.storedSection), \(place.position)"
            return """
                WITH placed AS (
                    UPDATE \(items) i SET (parent, section, position) = ROW (\(values)) FROM \(items) o
                    WHERE i.id = \(place.id) AND o.id = i.id RETURNING i.*, i.fields::text = o.fields::text AS has_same_fields),
                  written AS (INSERT INTO \(schema)changes (revision, item, parent, section, position, fields)
                    SELECT \(revision)::int8, id, parent, section, position, fields FROM placed
                    WHERE has_same_fields AND (parent, section, position) IS NOT DISTINCT FROM (\(values)) \(written)
                """
        case .delete(let item): return "WITH written AS (DELETE FROM \(items) WHERE id = \(item) \(written)"
        }
    }

    /// The statement that writes and logs the fields of different rows, each in a revision.
    func fields(_ rows: [(row: ItemRow, revision: Int64)]) -> SQL {
        """
        WITH changed AS (UPDATE \(items) i SET fields = n.fields
            FROM unnest(\(array: rows.map { .integer($0.row.place.id) })::int8[],
              \(array: rows.map { .text($0.row.fields) })::json[], \(array: rows.map { .integer($0.revision) })::int8[])
              AS n (id, fields, revision) WHERE i.id = n.id
            RETURNING n.revision, i.id, i.parent, i.section, i.position, i.fields,
              i.fields::text = n.fields::text AS is_as_planned),
          written AS (INSERT INTO \(schema)changes (revision, item, parent, section, position, fields)
            SELECT revision, id, parent, section, position, fields FROM changed WHERE is_as_planned RETURNING 1)
        SELECT 1 / (count(*) = \(Int64(rows.count)))::int FROM written
        """
    }

    private func new(_ row: ItemRow) -> SQL {
        """
        new AS (SELECT \(row.place.id)::int8 AS id, \(row.place.parent)::int8 AS parent,
          \(row.place.storedSection)::int4 AS section, \(row.place.position)::int8 AS position,
          \(text: row.fields)::json AS fields)
        """
    }

    private var countAsPlanned: SQL {
        """
        SELECT 1 / count(*) FROM written w JOIN new n ON w.fields::text = n.fields::text
          AND (w.parent, w.section, w.position) IS NOT DISTINCT FROM (n.parent, n.section, n.position)
        """
    }
}

extension ItemPlace {
    /// The section as a number of 32 bits.
    fileprivate var storedSection: Int64 { Int64(Int32(clamping: section)) }
}
