/// Revisions of the server, and of other programs.
extension SQLiteTree {
    /// The number of revisions that the log keeps.
    private static let keptRevisions: Int64 = 100_000

    /// Gives one revision to the changes of other programs that still lack a revision.
    func numberForeignChanges(_ connection: SQLiteConnection) throws(DatabaseError) {
        guard !connection.isReadOnly, try hasForeignChanges(connection) else { return }
        try connection.execute("BEGIN IMMEDIATE")
        defer { connection.rollBack() }
        guard try hasForeignChanges(connection) else { return }
        // If a program does not enable foreign keys, its deletions leave the rows below the deleted items in the table.
        repeat {
            try connection.run(
                """
                DELETE FROM items WHERE parent IN (SELECT item FROM changes WHERE revision IS NULL AND fields IS NULL)
                AND NOT EXISTS (SELECT 1 FROM items AS above WHERE above.id = items.parent)
                """)
        } while try connection.first("SELECT changes()")?[0].integer ?? 0 > 0
        let head = try head(connection).head
        let revision = head.revision + 1
        let changes = try number(
            revision, write: RevisionWrite(mark: RandomNames.mark(), writes: []), writer: nil, connection: connection)
        try shorten(revision, changes: changes, connection: connection)
        try connection.run("UPDATE head SET revision = \(revision)")
        try trim(revision, oldest: head.oldest, connection: connection)
        try connection.execute("COMMIT")
    }

    func hasForeignChanges(_ connection: SQLiteConnection) throws(DatabaseError) -> Bool {
        // A server that cannot write has loaded the noted changes under an epoch of their own.
        let noted = connection.isReadOnly ? unnumbered ?? 0 : 0
        return try connection.first(
            "SELECT 1 FROM changes WHERE revision IS NULL AND seq > \(noted) LIMIT 1") != nil
    }

    /// Adds a revision, and gives its number to all changes without a number. Returns the number of these changes.
    private func number(
        _ revision: Int64, write: RevisionWrite, writer: String?, connection: SQLiteConnection
    ) throws(DatabaseError) -> Int {
        try connection.run(
            """
            INSERT INTO revisions (revision, mark, at, author, writer)
            VALUES (\(revision), \(text: write.mark),
              strftime('%Y-%m-%dT%H:%M:%fZ', \(write.date) / 1000.0, 'unixepoch'), \(text: write.author), \(text: writer))
            """)
        do throws(DatabaseError) {
            try connection.run("UPDATE changes SET revision = \(revision) WHERE revision IS NULL")
        } catch {
            // Fields that are too large cannot be written again. The load reports their item.
            guard error.kind == .tooLarge else { throw error }
            try dropChanges("IS NULL", of: revision, connection: connection)
        }
        return connection.changedRows
    }

    func commit(_ requests: [RevisionWrite], after last: TreeHead) throws(CommitError) {
        let connection = try unlessFailed { () throws(DatabaseError) in
            let connection = try connected(toWrite: true)
            try connection.run("BEGIN IMMEDIATE")
            return connection
        }
        defer { connection.rollBack() }
        let oldest = try latestHead(last, connection: connection).oldest
        for (number, request) in requests.enumerated() {
            let isAsPlanned: Bool
            do throws(DatabaseError) {
                isAsPlanned = try write(request, as: last.revision + Int64(number) + 1, connection: connection)
            } catch {
                guard let refusal = connection.refusal else { throw .failed(error) }
                throw .refused(number: number, message: refusal.message, constraint: refusal.constraint)
            }
            guard isAsPlanned else { throw .otherThanPlanned(number: number) }
        }
        try unlessFailed { () throws(DatabaseError) in
            let newest = last.revision + Int64(requests.count)
            try connection.run("UPDATE head SET revision = \(newest), epoch = \(text: last.epoch)")
            try trim(newest, oldest: oldest, connection: connection)
            try connection.run("COMMIT")
        }
        guard keepsCommits() else {
            throw .unknown("the database or its log was removed or replaced during a commit")
        }
        ownEpoch = nil
    }

    func confirm(_ last: TreeHead) throws(CommitError) {
        let connection = try unlessFailed { () throws(DatabaseError) in try connected() }
        _ = try latestHead(last, connection: connection)
    }

    /// Returns the counter in the database.
    ///
    /// - Throws: `changedMeanwhile` unless the counter is still at a known revision, and all changes have a revision.
    private func latestHead(_ last: TreeHead, connection: SQLiteConnection) throws(CommitError) -> TreeHead {
        let latest = try unlessFailed { () throws(DatabaseError) -> TreeHead? in
            let (head, mark) = try head(connection, markOf: last.revision)
            guard head.follows(last, mark: mark), head.revision == last.revision else { return nil }
            return try hasForeignChanges(connection) ? nil : head
        }
        guard let latest else { throw .changedMeanwhile }
        return latest
    }

    private func unlessFailed<Result>(
        _ body: () throws(DatabaseError) -> Result
    ) throws(CommitError) -> Result {
        do throws(DatabaseError) {
            return try body()
        } catch {
            throw .failed(error)
        }
    }

    /// Writes a request as a revision. Returns false if other rows were written than the request names, or if a row was
    /// not written.
    private func write(
        _ request: RevisionWrite, as revision: Int64, connection: SQLiteConnection
    ) throws(DatabaseError) -> Bool {
        for write in request.writes {
            try connection.run(Self.statement(write))
            guard connection.changedRows == 1 else { return false }
        }
        let logged = try number(revision, write: request, writer: "server", connection: connection)
        // Every statement logs one row. A delete also logs the items below the deleted item.
        let rows = request.writes.count { !$0.isDelete }
        var loggedRows: Int64? = Int64(logged)
        if rows < request.writes.count {
            loggedRows = try connection.first(
                "SELECT count(*) FROM changes WHERE revision = \(revision) AND fields IS NOT NULL")?[0].integer
        }
        try shorten(revision, changes: logged, connection: connection)
        return loggedRows == Int64(rows)
    }

    /// Removes the changes of a revision from the log if there are too many.
    private func shorten(_ revision: Int64, changes: Int, connection: SQLiteConnection) throws(DatabaseError) {
        guard changes > LoggedRevision.mostChanges else { return }
        try dropChanges("= \(revision)", of: revision, connection: connection)
    }

    /// Removes the changes of a revision from the log, so that servers load the tree.
    private func dropChanges(
        _ numbers: SQL, of revision: Int64, connection: SQLiteConnection
    ) throws(DatabaseError) {
        try connection.run("DELETE FROM changes WHERE revision \(numbers)")
        try connection.run("UPDATE revisions SET is_whole = 1 WHERE revision = \(revision)")
    }

    private static func statement(_ write: ItemWrite) -> SQL {
        switch write {
        case .insert(let row):
            """
            INSERT INTO items (parent, section, position, fields, id)
            VALUES (\(values(row.place)), \(text: row.fields), \(row.place.id))
            """
        case .update(let row):
            """
            UPDATE items SET (parent, section, position, fields) = (\(values(row.place)), \(text: row.fields))
            WHERE id = \(row.place.id)
            """
        case .fields(let row): "UPDATE items SET fields = \(text: row.fields) WHERE id = \(row.place.id)"
        case .place(let place):
            "UPDATE items SET (parent, section, position) = (\(values(place))) WHERE id = \(place.id)"
        case .delete(let id): "DELETE FROM items WHERE id = \(id)"
        }
    }

    private static func values(_ place: ItemPlace) -> SQL {
        "\(place.parent), \(Int64(place.section)), \(place.position)"
    }

    /// Removes the oldest revisions from the log, at least a thousand at a time.
    private func trim(_ newest: Int64, oldest: Int64, connection: SQLiteConnection) throws(DatabaseError) {
        let first = newest - Self.keptRevisions + 1
        guard first - oldest >= 1_000 else { return }
        for statement in Self.statements.trims(to: first) { try connection.run(statement) }
    }
}
