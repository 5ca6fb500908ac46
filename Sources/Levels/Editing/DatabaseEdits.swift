internal import PropertyLists

/// Edits of documents with databases.
extension Edit {
    /// Refuses edits of rows that are in a database, and edits that write a query. Only the author of the document's
    /// file may write queries.
    public func checkDatabases(in snapshot: Snapshot) throws(EditRefusal) {
        guard snapshot.composition?.holdsRowsElsewhere == true || holdsQuery else { return }
        func isElsewhere(_ path: ItemPath?) -> Bool { path.flatMap { snapshot.rowsElsewhere(at: $0) } != nil }
        let isRefused =
            switch self {
            case .insert(_, let owner, _, _): isElsewhere(owner)
            case .put(_, let path, _), .patch(_, let path), .delete(let path): isElsewhere(path.parent)
            case .move(let path, let owner, _, _): isElsewhere(path.parent) || isElsewhere(owner)
            }
        if isRefused { throw .rowsOfDatabase }
        if holdsQuery || isPatchOfQuery(in: snapshot) {
            throw .invalid("'Query' can be written only in the file of the document", at: JSONPointer.step("Query"))
        }
    }

    /// Whether the edit contains an item that has both a database and a query.
    private var holdsQuery: Bool {
        switch self {
        case .insert(let value, _, _, _), .put(let value, _, _), .patch(let value, _): value.holdsQuery
        case .move, .delete: false
        }
    }

    private func isPatchOfQuery(in snapshot: Snapshot) -> Bool {
        guard case .patch(.dictionary(let fields), let path) = self, fields["Query"] != nil else { return false }
        return snapshot.rowsElsewhere(at: path) != nil
    }
}

extension PropertyListValue {
    /// Whether the value contains a dictionary that has both a database and a query.
    fileprivate var holdsQuery: Bool {
        switch self {
        case .dictionary(let fields):
            fields["Query"] != nil && fields[DatabaseReference.name] != nil
                || fields.entries.contains { $0.value.holdsQuery }
        case .array(let elements): elements.contains(where: \.holdsQuery)
        default: false
        }
    }
}

extension EditRefusal {
    static let rowsOfDatabase = conflict("the rows below are in a database, which can only be read")
}
