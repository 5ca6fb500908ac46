internal import DatabaseTrees
internal import Levels

/// All tables of a database.
struct AllTables: ShortLevel {
    let database: OpenDatabase

    private var catalogue: Catalogue { database.catalogue }

    var rowCount: Int { catalogue.tables.count }

    func row(_ number: Int) -> (key: [UInt8], title: [UInt8]) {
        (catalogue.keys[number], Array(catalogue.tables[number].name.utf8))
    }

    func number(ofKey key: [UInt8]) -> Int? { catalogue.table(withKey: key) }

    func level(below number: Int) -> any TableLevel {
        RecordLevel(list: catalogue.list(ofTable: number), database: database)
    }

    /// The largest number of hits in one table.
    private static let mostHits = 10

    /// Returns a page of tables. A search also finds records of the tables with an index for it.
    func page(_ query: RowQuery) throws -> RowPage {
        guard let text = query.search, !query.hasConditions, query.order == ListingOrder() else {
            return try page(of: query)
        }
        let (level, found) = try arranged(by: query)
        let named = (0..<found.count).map(found.rowNumber)
        var within = query
        within.page = PageQuery()
        within.page.limit = Self.mostHits
        var below: [(row: Int, page: RowPage)] = []
        var refusal: String?
        for table in catalogue.tables
        where table.condition(finding: text, in: query.searchedFields ?? .title) != nil {
            do {
                let list = catalogue.list(ofTable: table.number)
                below.append((table.number, try RecordLevel(list: list, database: database).hits(of: within)))
            } catch let error as RowRefusal {
                refusal = refusal ?? error.sentence
            }
        }
        let shape = PageCursor.shape(of: query)
        let counts = try named.map { number in
            let count = try count(below: number)
            return (count.number, count.isEstimate)
        }
        return RowPage(
            hits: named, on: level, counts: counts, below: below,
            showing: query.page, from: try PageCursor.of(query)?.position ?? query.page.firstPosition, refusal: refusal
        ) { PageCursor(shape: shape, position: $0, row: 0, values: []).bookmark }
    }

    func count(below number: Int) throws -> RecordCount { try database.briefCount(catalogue.list(ofTable: number)) }
}
