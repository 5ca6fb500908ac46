/// Requests that are committed together. Makes the statements of their transaction.
struct PostgresGroup {
    let requests: [RevisionWrite]
    /// The revision that the requests were applied to.
    let last: TreeHead
    /// The epoch in the database. It differs from the epoch of `last` after an older copy has replaced the database.
    let epoch: String

    /// The statements of one attempt to commit a group.
    struct Attempt {
        /// The statements, each with the number of its request; nil for a statement of the whole group.
        private(set) var steps: [(sql: SQL, request: Int?)] = []
        /// The index of the statement that counts the revision up.
        var count = 0

        mutating func add(_ statement: SQL, of request: Int? = nil) { steps.append((statement, request)) }
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
        if !isLocked { attempt.add(PostgresTreeStatements.begin) }
        attempt.count = attempt.steps.count
        attempt.add(statements.count(requests, after: last, epoch: epoch, isWhole: isWhole))
        // Consecutive changes to the fields of different rows are written together, in one statement.
        var together: [(row: ItemRow, revision: Int64)] = []
        func writeTogether() {
            if !together.isEmpty { attempt.add(statements.fields(together)) }
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
                    attempt.add(statements.statement(write, in: revision), of: number)
                }
            }
            if isOneByOne { attempt.add(PostgresTreeStatements.checkAtOnce, of: number) }
        }
        writeTogether()
        let changes = changes
        if !changes.isEmpty { attempt.add(statements.log(changes)) }
        attempt.add(PostgresTreeStatements.commit)
        return attempt
    }

    private func isWhole(_ request: RevisionWrite) -> Bool { request.writes.count > LoggedRevision.mostChanges }

    /// The changes that are written to the log as the triggers would; empty if the other statements log all of them. Rows
    /// that are deleted because an item above them is deleted are not logged.
    private var changes: [(revision: Int64, item: Int64, row: ItemRow?)] {
        requests.enumerated().filter { !isWhole($0.element) }.flatMap { number, request in
            request.writes.filter { !$0.isLoggedByItself }.map { (last.revision + Int64(number) + 1, $0.item, $0.row) }
        }
    }
}

extension ItemWrite {
    var item: Int64 {
        switch self {
        case .insert(let row), .update(let row), .fields(let row): row.place.id
        case .place(let place): place.id
        case .delete(let item): item
        }
    }

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
