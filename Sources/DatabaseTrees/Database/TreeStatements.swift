/// The statements about the counter and the log of a tree. They are the same in both databases except for a few parts.
struct TreeStatements: Sendable {
    /// The text before the name of a table: in PostgreSQL, the schema and a dot; in SQLite, nothing.
    let schema: SQL
    /// The time of the revision `r`, in seconds since 1970.
    let seconds: SQL
    /// The present time, as the column `at` contains it.
    let now: SQL
    /// The fields of the change `c` as text; empty if they are too large to be read.
    let fields: SQL

    /// The largest numbers of revisions and of rows that `log` returns. The rows of a single revision never reach the
    /// limit.
    static let mostRevisions: Int64 = 1_000
    static let mostRows = 10 * LoggedRevision.mostChanges + 1

    // MARK: Reading

    /// Reads the counter, and the mark of a revision as the last column.
    func head(markOf revision: Int64 = -1) -> SQL {
        """
        SELECT h.format, h.epoch, h.revision, h.oldest, h.keys, r.mark, \(seconds),
          (SELECT mark FROM \(schema)revisions WHERE revision = \(revision))
        FROM \(schema)head h LEFT JOIN \(schema)revisions r ON r.revision = h.revision
        """
    }

    private var revision: SQL {
        "r.revision, r.mark, \(seconds), r.author, r.writer, CASE WHEN r.is_whole THEN 1 ELSE 0 END"
    }

    /// Reads the revisions after a revision with their changes, up to a limit. Each row has the columns of a revision
    /// and of one of its changes.
    func log(after last: Int64) -> SQL {
        let end = min(last, .max - Self.mostRevisions) + Self.mostRevisions
        return """
            SELECT \(revision), c.item, c.parent, c.section, c.position, \(fields)
            FROM \(schema)revisions r
            LEFT JOIN \(schema)changes c ON c.revision = r.revision AND c.revision > \(last)
            WHERE r.revision > \(last) AND r.revision <= \(end)
            ORDER BY r.revision, c.seq LIMIT \(literal: Self.mostRows)
            """
    }

    /// Reads the revisions up to a revision, the latest first.
    func history(upTo last: Int64, limit: Int) -> SQL {
        """
        SELECT \(revision) FROM \(schema)revisions r WHERE r.revision <= \(last)
        ORDER BY r.revision DESC LIMIT \(Int64(limit))
        """
    }

    // MARK: Writing

    /// Returns the statements that remove the revisions before `first` from the log.
    func trims(to first: Int64) -> [SQL] {
        [
            "DELETE FROM \(schema)changes WHERE revision < \(first)",
            "DELETE FROM \(schema)revisions WHERE revision < \(first)",
            "UPDATE \(schema)head SET oldest = \(first) WHERE oldest < \(first)",
        ]
    }

    /// Returns the statements that count the revision of an import, and log it.
    ///
    /// - Parameter oldest: the beginning of the log of a new tree; nil if the import replaces a tree.
    func importing(keys: String?, oldest: Int64?) -> [SQL] {
        let counted: SQL =
            oldest.map {
                """
                INSERT INTO \(schema)head (format, epoch, revision, oldest, keys)
                VALUES (\(literal: TreeHead.format), \(text: RandomNames.epoch()), 1, \($0), \(text: keys))
                """
            } ?? "UPDATE \(schema)head SET revision = revision + 1, keys = \(text: keys)"
        return [
            counted,
            """
            INSERT INTO \(schema)revisions (revision, mark, at, writer, is_whole)
            VALUES ((SELECT revision FROM \(schema)head), \(text: RandomNames.mark()), \(now), 'import', true)
            """,
        ]
    }
}

// MARK: Rows

extension TreeHead {
    /// Creates the counter from a row of `TreeStatements.head`.
    ///
    /// - Throws: `DatabaseError` if the row is missing, or this program cannot use the tree.
    init(_ row: [DatabaseValue]?) throws(DatabaseError) {
        guard let row, let format = row[0].integer, let epoch = row[1].string, let revision = row[2].integer,
            let oldest = row[3].integer
        else { throw Self.missing }
        if let fault = Self.fault(ofFormat: format) { throw fault }
        self.init(
            epoch: epoch, revision: revision, mark: row[5].string, date: LoggedRevision.date(row[6].real),
            oldest: oldest, keys: row[4].string)
        if let fault { throw fault }
    }

    /// Whether the database still has a known revision, and not a different revision with the same number.
    ///
    /// - Parameter mark: the mark of the known revision in the database.
    func follows(_ last: TreeHead, mark: String?) -> Bool {
        // If the log no longer has the known revision, the mark of the revision cannot be compared.
        let isTrimmed = mark == nil && oldest > last.revision
        return epoch == last.epoch && revision >= last.revision && (last.mark == nil || isTrimmed || mark == last.mark)
    }
}

extension LoggedRevision {
    /// Creates a revision from a row of `TreeStatements.log` or `.history`, without its changes; nil if the row lacks a
    /// number.
    init?(_ row: [DatabaseValue]) {
        guard let number = row[0].integer else { return nil }
        self.init(
            number: number, mark: row[1].string, date: Self.date(row[2].real), author: row[3].string,
            writer: Writer(row[4].string), changes: [])
    }
}

extension ItemChange {
    /// Creates the change in a row of `TreeStatements.log`; nil if the row is for a revision without changes.
    fileprivate init?(_ row: [DatabaseValue]) {
        guard let item = row[6].integer else { return nil }
        guard case .text(let fields) = row[10], let section = row[8].integer, let position = row[9].integer else {
            self = .gone(item)
            return
        }
        let place = ItemPlace(id: item, parent: row[7].integer, section: Int(section), position: position)
        self = .row(ItemRow(place: place, fields: fields))
    }
}

/// The result of reading the log after a known revision.
enum LogLook {
    /// The next revisions, and whether there are more.
    case revisions([LoggedRevision], hasMore: Bool)
    /// The log lacks some of the next revisions, or it lacks the changes of one of them.
    case incomplete
    /// The known revision is not in the database, or has another mark.
    case forked
    case otherEpoch

    /// - Parameters:
    ///   - last: the known revision.
    ///   - mark: the mark of the known revision in the database.
    ///   - rows: the rows of `TreeStatements.log`, read in the same state as `newest`.
    init(after last: TreeHead, newest: TreeHead, mark: String?, rows: [[DatabaseValue]]) {
        guard newest.follows(last, mark: mark) else {
            self = newest.epoch == last.epoch ? .forked : .otherEpoch
            return
        }
        var revisions: [LoggedRevision] = []
        var isWhole = false
        for row in rows {
            if row[0].integer != revisions.last?.number {
                guard let revision = LoggedRevision(row) else { continue }
                revisions.append(revision)
                isWhole = isWhole || row[5].integer == 1
            }
            guard let change = ItemChange(row), !revisions.isEmpty else { continue }
            revisions[revisions.count - 1].changes.append(change)
        }
        // The limit may have cut the last revision.
        let isCut = rows.count == TreeStatements.mostRows
        if isCut { revisions.removeLast() }
        let isGapless = zip(revisions, (last.revision + 1)...).allSatisfy { $0.number == $1 }
        let end = revisions.last?.number ?? last.revision
        let isComplete = end == newest.revision || isCut || revisions.count == TreeStatements.mostRevisions
        guard newest.oldest <= last.revision + 1, isGapless, isComplete, !isWhole else {
            self = .incomplete
            return
        }
        self = .revisions(revisions, hasMore: end < newest.revision)
    }
}
