internal import DatabaseTrees
public import Levels
internal import Locking

/// The tables of a database as levels. The records are read anew for each answer, and never written.
public struct TableRows: RowSource {
    public typealias Options = TableOptions

    let pool: ConnectionPool
    /// The title of the root.
    let title: [UInt8]
    let options: Options
    /// The steps to the item of a document that shows the rows; empty if the database itself is the source.
    var prefix: [Item.Step] = []

    init(_ place: TablesPlace, options: Options) {
        pool = ConnectionPool(options: options, connect: place.connector(options))
        title = place.title
        self.options = options
    }

    /// - Parameter path: a SQLite file.
    init(path: String, options: Options) { self.init(.file(path), options: options) }

    public var isImmediate: Bool { false }

    public func begin(while isWanted: @escaping @Sendable () -> Bool) throws(RowRefusal) -> any RowSource {
        do throws(DatabaseError) { return try TableReading(rows: self, while: isWanted) } catch {
            throw RowRefusal(error)
        }
    }

    // Without `begin`, each of these calls is an answer of its own, so two calls may show different states.

    public func find(_ path: ItemPath) throws(RowRefusal) -> Item.Lookup { try begin().find(path) }

    public func page(_ query: RowQuery, below item: Item) throws(RowRefusal) -> RowPage {
        try begin().page(query, below: item)
    }

    public func detail(of item: Item) throws(RowRefusal) -> ItemDetail { try begin().detail(of: item) }

    /// Returns a constant, because the hash is unknown until the content is read. The constant is never compared: if a
    /// source is not immediate, its answers are made again instead.
    public func hash(of part: ShownPart, of item: Item) -> ContentHash { ContentHash(of: [UInt8]().span) }
}

extension RowRefusal {
    init(_ error: DatabaseError) {
        switch error.kind {
        case .timeout:
            self.init(
                kind: .timeout, sentence: "The database needs more time for this answer than it may have. Ask for less."
            )
        case .busy:
            self.init(kind: .unreadable, sentence: "Another program holds the lock of the database. Try again later.")
        case .away, .noSpace, .readOnly:
            self.init(kind: .unreadable, sentence: "The database cannot be read at the moment. Try again later.")
        case .tooLarge:
            self.init(
                kind: .unreadable,
                sentence: "A value for this answer is too large to be read. Ask for other fields, or change the view.")
        case .refused:
            self.init(kind: .unreadable, sentence: "The database refuses to read this; its log has the reason.")
        case .other: self.init(kind: .unreadable, sentence: "The database cannot be read; its file may be damaged.")
        }
    }
}
