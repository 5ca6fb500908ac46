internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// The tables of a database, with their keys, title columns and foreign keys.
struct Catalogue: Sendable {
    private(set) var tables: [Table]
    /// The keys of the tables in paths, in the order of `tables`.
    let keys: [[UInt8]]
    private let numbers: [[UInt8]: Int]

    /// The views and tables that cannot be read, with the database's reason.
    private(set) var unreadable: [(name: String, reason: String)] = []

    /// The reason why the options do not fit the database; nil if they fit. Either a table cannot be a tree, or the
    /// reference of an item is invalid.
    private(set) var refusal: String?
    /// The part of the database that an item of a document shows; nil for all tables.
    private(set) var shown: Shown?

    /// The table or query to which an item of a document refers.
    struct Shown: Sendable {
        var table: Int
        /// The conditions and the order of the records.
        var query = RowQuery()
        var drillColumns: [Int] = []
        /// The columns that make the titles; empty for those that are chosen.
        var titleColumns: [Int] = []
    }

    /// The name of a query's table in messages.
    static let queryName = "Query"

    /// - Parameters:
    ///   - tables: the tables in any order, with their columns, keys and rowids.
    ///   - unreadable: the views and tables that cannot be read, with the database's reason.
    ///   - foreignKeys: the foreign keys. They identify tables by their indices in `tables`.
    ///   - treeColumns: the columns that refer to the record above, by the names of their tables. These tables become
    ///     trees.
    ///   - titleColumns: the columns that make the titles, by the names of their tables.
    ///   - reference: the reference of an item of a document to the database; nil if the database itself is the source.
    ///     If the reference has a query, the last of `tables` is the table of this query.
    init(
        tables: [Table], unreadable: [(name: String, reason: String)] = [], foreignKeys: [ForeignKey],
        treeColumns: [String: String] = [:], titleColumns: [String: [String]] = [:],
        showing reference: DatabaseReference? = nil
    ) {
        self.unreadable = unreadable
        // The tables are shown in the order of their names. The foreign keys get the new numbers of the tables.
        let order = tables.indices.sorted { Self.precedes(tables[$0].name, tables[$1].name) }
        var places = [Int](repeating: 0, count: order.count)
        for (place, number) in order.enumerated() { places[number] = place }
        self.tables = order.map { tables[$0] }
        for key in foreignKeys {
            let placed = ForeignKey(
                child: places[key.child], parent: places[key.parent], columns: key.columns, targets: key.targets)
            self.tables[placed.child].references.append(placed)
            self.tables[placed.parent].referring.append(placed)
        }
        for (name, column) in treeColumns.sorted(by: { $0.key < $1.key }) {
            refusal = Self.makeTree(of: name, by: column, in: &self.tables) ?? refusal
        }
        let showsAll = reference.map { $0.table == nil && $0.query == nil } ?? true
        if let reference, !showsAll {
            do throws(DatabaseError) {
                let table = reference.query == nil ? nil : places.last
                (shown, self.tables) = try Self.shown(reference, queried: table, in: self.tables)
            } catch {
                refusal = error.reason
            }
        }
        keys = SiblingNames.keys(of: self.tables.map(\.name))
        numbers = Dictionary(zip(keys, keys.indices)) { first, _ in first }
        var names = titleColumns
        if showsAll, let text = reference?.titleColumns {
            if let named = TableOptions.titleColumns(in: text) {
                names = named
            } else {
                refusal = "'TitleBy' is not a list of tables with their columns, such as \(TableOptions.titleExample)"
            }
        }
        let titles = TitleChooser(tables: self.tables, named: named(names))
        for number in self.tables.indices {
            self.tables[number].number = number
            self.tables[number].title = titles.title(of: number)
            self.tables[number].labels = titles.labels(of: number)
            nameReferring(number)
        }
    }

    /// Returns the number of the table with a key; nil for an unknown key.
    func table(withKey key: [UInt8]) -> Int? { numbers[key] }

    /// Makes a table a tree. Returns the reason if the table cannot be a tree; otherwise nil.
    private static func makeTree(of name: String, by column: String, in tables: inout [Table]) -> String? {
        guard let number = tables.firstIndex(where: { $0.name == name }) else {
            return "there is no table '\(quoted: name)' to be a tree"
        }
        let table = tables[number]
        guard let place = table.column(column) else {
            return "the table '\(quoted: name)' has no column '\(quoted: column)' that could refer to the record above"
        }
        let declared = table.references.first { $0.parent == number && $0.columns == [place] }
        guard declared != nil && !table.isPositional || table.key.count == 1 else {
            return "the key of the table '\(quoted: name)' is not one column, so '\(quoted: column)' cannot refer to it"
        }
        let key = declared ?? ForeignKey(child: number, parent: number, columns: [place], targets: table.key)
        tables[number].tree = key
        tables[number].referring.removeAll { $0 == key }
        return nil
    }

    /// Returns the columns that are named for titles, by the numbers of their tables. Notes a refusal for an unknown name.
    private mutating func named(_ titleColumns: [String: [String]]) -> [Int: [Int]] {
        var named: [Int: [Int]] = [:]
        if let shown, !shown.titleColumns.isEmpty { named[shown.table] = shown.titleColumns }
        for (name, columns) in titleColumns.sorted(by: { $0.key < $1.key }) {
            guard let number = tables.firstIndex(where: { $0.name == name }) else {
                refusal = refusal ?? "there is no table '\(quoted: name)' to be titled"
                continue
            }
            named[number] = columns.compactMap { column in
                let found = tables[number].column(column)
                if found == nil {
                    refusal = refusal ?? "the table '\(quoted: name)' has no column '\(quoted: column)' for its titles"
                }
                return found
            }
        }
        return named
    }

    private mutating func nameReferring(_ number: Int) {
        var named: [(title: String, key: ForeignKey)] = []
        let referring = tables[number].referring
        var counts: [Int: Int] = [:]
        for key in referring { counts[key.child, default: 0] += 1 }
        for key in referring {
            let child = tables[key.child]
            let isRepeated = counts[key.child, default: 0] > 1
            named.append((isRepeated ? "\(child.name) (\(Self.name(of: key, in: child)))" : child.name, key))
        }
        named.sort { Self.precedes($0.title, $1.title) }
        tables[number].referring = named.map(\.key)
        let titles = named.map(\.title)
        tables[number].referringNames = zip(titles, SiblingNames.keys(of: titles)).map { (Array($0.utf8), $1) }
    }

    /// Returns the names of a foreign key's columns, joined by commas.
    static func name(of key: ForeignKey, in child: Table) -> String {
        key.columns.map { child.columns[$0].name }.joined(separator: ",")
    }

    /// Returns whether one name comes before another. The folded names are compared first. If these are equal, the
    /// names themselves are compared by code point.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        let (folded, otherFolded) = (FoldedText.of(one.utf8Span.span), FoldedText.of(other.utf8Span.span))
        return folded == otherFolded
            ? one.utf8.lexicographicallyPrecedes(other.utf8) : folded.lexicographicallyPrecedes(otherFolded)
    }
}

/// The keys of siblings.
enum SiblingNames {
    /// Returns the keys that siblings with these titles have in a document (manual, Paths and keys).
    static func keys(of titles: [String]) -> [[UInt8]] {
        guard !titles.isEmpty else { return [] }
        let nowhere = SourcePosition.byte(offset: 0)
        var builder = TreeBuilder()
        do throws(PropertyListError) {
            try builder.beginArray(at: nowhere)
            for title in titles { try builder.string(title.utf8Span.span, at: nowhere) }
            try builder.endArray()
            guard let level = try builder.finish().document.child(0), level.count == titles.count else { return [] }
            return (0..<level.count).map { Array(level.key($0).utf8) }
        } catch {
            return titles.map { Array($0.utf8) }
        }
    }
}

/// The options for the levels of a database's tables.
public struct TableOptions: Sendable {
    /// The maximum number of records in a list that is filtered and sorted in memory, like the items of a tree. A
    /// larger list needs an index.
    public var arrangedRows = 1_000_000
    /// The time limit for one answer.
    public var timeout = Duration.seconds(5)
    /// The maximum size of a value that SQLite makes or reads, in bytes. Data in a column of a table may be larger, because
    /// the size is asked for before the data.
    var mostValueBytes = 8 << 20
    /// The columns that refer to the record above, by the names of their tables. These tables are shown as trees.
    public var treeColumns: [String: String] = [:]
    /// The columns that make the titles of records, by the names of their tables.
    public var titleColumns: [String: [String]] = [:]
    /// The hosts of the PostgreSQL databases to which items of a document may refer.
    public var hosts: [String] = []
    /// The reference of an item of a document to the database. Nil if the database itself is the source; all its tables
    /// are then shown.
    var reference: DatabaseReference?

    public init() {}

    /// Returns the columns in a text such as `titleExample`, by the names of their tables; nil for another text.
    public static func titleColumns(in text: String) -> [String: [String]]? {
        var columns: [String: [String]] = [:]
        var last: String?
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let names = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if names.count == 2 {
                guard !names[0].isEmpty, columns[names[0]] == nil else { return nil }
                last = names[0]
            }
            guard let last, let column = names.last, !column.isEmpty else { return nil }
            columns[last, default: []].append(column)
        }
        return columns
    }

    /// An example of columns for messages.
    public static let titleExample = "Customer=FirstName,LastName,Invoice=InvoiceDate"
}

extension Catalogue {
    /// Returns the part of the database that an item of a document shows, and all tables. The shown table gets the key
    /// that the reference names.
    ///
    /// - Parameter queried: the number of the table for the item's `Query`; nil if the item has a `Table`.
    /// - Throws: `DatabaseError` if a named table or column is missing, a `Query` comes without a `Key`, or a condition
    ///   or the order is malformed.
    static func shown(
        _ reference: DatabaseReference, queried: Int?, in tables: [Table]
    ) throws(DatabaseError) -> (Shown, [Table]) {
        var tables = tables
        if queried != nil, reference.key.isEmpty {
            throw DatabaseError(
                kind: .other, reason: "a 'Query' needs a 'Key', an array of the columns that name a row")
        }
        guard let number = queried ?? tables.firstIndex(where: { $0.name == reference.table }) else {
            throw DatabaseError(kind: .other, reason: "there is no table '\(quoted: reference.table ?? "")'")
        }
        func column(_ name: String) throws(DatabaseError) -> Int {
            guard let column = tables[number].column(name) else {
                throw DatabaseError(
                    kind: .other, reason: "'\(quoted: tables[number].name)' has no column '\(quoted: name)'")
            }
            return column
        }
        var shown = Shown(table: number)
        if !reference.key.isEmpty {
            var key: [Int] = []
            for name in reference.key { key.append(try column(name)) }
            tables[number].key = key
        }
        if let names = reference.titleColumns {
            let isOne = tables[number].column(names) != nil
            for name in isOne ? [names] : names.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            {
                shown.titleColumns.append(try column(name))
            }
        }
        for name in reference.drillColumns { shown.drillColumns.append(try column(name)) }
        for text in reference.conditions {
            guard let condition = RowCondition(text) else {
                throw DatabaseError(
                    kind: .other,
                    reason: "'\(quoted: text)' in 'Where' is not a condition, such as Price<10, Name:Bo or !Name"
                )
            }
            shown.query.conditions.append(condition)
        }
        if let order = reference.order {
            do throws(MalformedOrder) {
                shown.query.order.sort = try RowOrder(order)
            } catch {
                throw DatabaseError(kind: .other, reason: "'SortBy' \(error)")
            }
        }
        return (shown, tables)
    }
}
