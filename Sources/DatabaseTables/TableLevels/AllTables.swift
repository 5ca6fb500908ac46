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

    func count(below number: Int) throws -> RecordCount { try database.briefCount(catalogue.list(ofTable: number)) }
}
