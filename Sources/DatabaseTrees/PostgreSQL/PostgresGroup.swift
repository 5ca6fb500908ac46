/// Requests that are committed together. Makes the statements of their transaction.
struct PostgresGroup {
    let requests: [RevisionWrite]
    /// The revision that the requests were applied to.
    let last: TreeHead
    /// The epoch in the database. It differs from the epoch of `last` after an older copy has replaced the database.
    let epoch: String

    /// The statements of one attempt to commit a group.
    struct Attempt {
        var statements: [PostgresStatement] = []
        /// The number of the request that each statement belongs to; nil for a statement of the whole group.
        var requests: [Int?] = []
        /// The index of the statement that counts the revision up.
        var count = 0

        mutating func add(_ statement: PostgresStatement, of request: Int? = nil) {
            statements.append(statement)
            requests.append(request)
        }
    }

    /// The first row that PostgreSQL cannot store: the number of its request, and the reason; nil if PostgreSQL can
    /// store all rows.
    var unstorable: (number: Int, reason: String)? {
        for (number, request) in requests.enumerated() {
            for row in request.writes.compactMap(\.row) {
                if let text = UnstorableText.find(in: row.fields.span) {
                    return (number, text.reason(item: row.place.id))
                }
            }
        }
        return nil
    }

    /// Makes the statements of an attempt to commit the group.
    ///
    /// - Parameters:
    ///   - isLocked: whether an open transaction holds the lock of the tree.
    ///   - isOneByOne: whether each request is written and checked separately, to find the request that is refused.
    func attempt(_ statements: PostgresTreeStatements, isLocked: Bool, isOneByOne: Bool) -> Attempt {
        var attempt = Attempt()
        if !isLocked { attempt.add(PostgresStatement(prepared: "BEGIN")) }
        attempt.count = attempt.statements.count
        attempt.add(count(news: statements.news(last.revision + Int64(requests.count))))
        // Consecutive changes to the fields of different rows are written together, in one statement.
        var together: [(row: ItemRow, revision: Int64)] = []
        func writeTogether() {
            if !together.isEmpty { attempt.add(ItemRow.statement(together)) }
            together = []
        }
        for (number, request) in requests.enumerated() {
            let revision = last.revision + Int64(number) + 1
            for write in request.writes {
                if case .fields(let row) = write, !isOneByOne {
                    if together.contains(where: { $0.row.place.id == row.place.id }) { writeTogether() }
                    together.append((row, revision))
                } else {
                    writeTogether()
                    attempt.add(write.statement(in: revision), of: number)
                }
            }
            if isOneByOne { attempt.add(PostgresTreeStatements.checkAtOnce, of: number) }
        }
        writeTogether()
        if let changes { attempt.add(changes) }
        attempt.add(PostgresStatement(prepared: "COMMIT"))
        return attempt
    }

    private func count(news: String) -> PostgresStatement {
        PostgresStatement(prepared: "count").with(Int64(requests.count)).with(last.revision).with(last.mark)
            .with(epoch).with(last.epoch).with(requests.map(\.mark)).with(requests.map(\.author))
            .with(requests.map { Optional(Int32(isWhole($0) ? 1 : 0)) }).with(requests.map { Optional($0.date) })
            .with(news)
    }

    private func isWhole(_ request: RevisionWrite) -> Bool { request.writes.count > LoggedRevision.mostChanges }

    /// The statement that writes the changes to the log, as the triggers would; nil if the other statements log all of
    /// them. Rows that are deleted because an item above them is deleted are not logged.
    private var changes: PostgresStatement? {
        var (revisions, items, parents, positions) = ([Int64?](), [Int64?](), [Int64?](), [Int64?]())
        var (sections, fields) = ([Int32?](), [[UInt8]?]())
        for (number, request) in requests.enumerated() where !isWhole(request) {
            for write in request.writes {
                if write.isLoggedByItself { continue }
                revisions.append(last.revision + Int64(number) + 1)
                items.append(write.item)
                let row = write.row
                parents.append(row?.place.parent)
                sections.append(row.map { Int32(clamping: $0.place.section) })
                positions.append(row?.place.position)
                fields.append(row?.fields)
            }
        }
        guard !items.isEmpty else { return nil }
        return PostgresStatement(prepared: "changes").with(revisions).with(items).with(parents).with(sections)
            .with(positions).with(json: fields)
    }
}

extension ItemWrite {
    /// Whether the prepared statement of the write also logs the row.
    fileprivate var isLoggedByItself: Bool {
        switch self {
        case .place, .fields: true
        case .insert, .update, .delete: false
        }
    }

    /// The row after the write; nil if the row is deleted, or if only its place changes.
    fileprivate var row: ItemRow? {
        switch self {
        case .insert(let row), .update(let row), .fields(let row): row
        case .place, .delete: nil
        }
    }
}
