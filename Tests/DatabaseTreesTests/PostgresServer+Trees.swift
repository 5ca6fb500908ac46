import TestSources

@testable import DatabaseTrees

extension PostgresServer {
    /// The address of a tree, with the parameters behind it.
    func address(_ tree: String, _ more: String = "") throws -> PostgresAddress {
        try PostgresAddress("postgres://drilldown@/trees?host=\(folder)&tree=\(tree)\(more)")
    }

    /// The address of a tree on this server and on another.
    func address(_ tree: String, _ more: String, with other: PostgresServer) throws -> PostgresAddress {
        try PostgresAddress("postgres://drilldown@/trees?host=\(folder),\(other.folder)&tree=\(tree)\(more)")
    }

    func tree(_ name: String, role: String = "drilldown") throws -> PostgresTree {
        PostgresTree(address: try PostgresAddress("postgres://\(role)@/trees?host=\(folder)&tree=\(name)"))
    }

    /// A connection of another program.
    func connection(_ database: String = "trees") throws -> PostgresConnection {
        try PostgresConnection([("host", folder), ("user", "drilldown"), ("dbname", database)])
    }

    /// Creates a tree with a root and these titles below it, whose ids count from 1.
    @discardableResult
    func makeTree(_ name: String, _ titles: [String], keys: String? = nil, replaces: Bool = false) throws
        -> PostgresTree
    {
        let tree = try tree(name)
        let writer = try tree.beginImport(keys: keys, replaces: replaces)
        try writer.add(.root, #"{"Title":"Root","Rows":null}"#)
        for (index, title) in titles.enumerated() {
            try writer.add(
                .init(id: Int64(index) + 1, parent: 0, section: 0, position: Int64(index) << 32), "\"\(title)\"")
        }
        try writer.finish()
        return tree
    }
}

extension TreeImport {
    func add(_ place: ItemPlace, _ fields: String) throws {
        let bytes = Array(fields.utf8)
        try add(place, fields: bytes.span)
    }
}

extension ItemPlace {
    static var root: Self { ItemPlace(id: 0, parent: nil, section: 0, position: 0) }
}

extension PostgresTree {
    /// All rows, by their ids.
    func rows() throws -> [Int64: ItemRow] {
        var rows: [Int64: ItemRow] = [:]
        _ = try readItems { place, fields in
            let bytes = unsafe fields.withUnsafeBufferPointer { unsafe Array($0) }
            rows[place.id] = ItemRow(place: place, fields: bytes)
        }
        return rows
    }

    /// The texts of `fields` in the order of ids.
    func texts() throws -> [String] {
        try rows().sorted { $0.key < $1.key }.map { String(decoding: $0.value.fields, as: UTF8.self) }
    }

    func revisions(after number: Int64) throws -> [LoggedRevision]? {
        var last = try head()
        (last.revision, last.mark) = (number, nil)
        return try revisions(after: last)
    }
}

extension PostgresConnection {
    /// The first column of a query as text.
    func column(_ query: String) throws -> [String] {
        try self.query(SQL(verbatim: query)).map {
            String(decoding: $0[0].postgresText ?? Array("NULL".utf8), as: UTF8.self)
        }
    }
}

extension RevisionWrite {
    init(_ writes: ItemWrite..., author: String? = nil) {
        self.init(author: author, mark: RandomNames.mark(), writes: writes)
    }
}

extension ItemRow {
    init(_ id: Int64, below parent: Int64? = 0, at position: Int64 = 0, _ fields: String) {
        self.init(place: .init(id: id, parent: parent, section: 0, position: position), fields: Array(fields.utf8))
    }
}
