internal import DatabaseTrees
internal import Levels

/// The lists of what refers to a record, one for each foreign key.
struct NamedLists: ShortLevel {
    let lists: [NamedList]
    let database: OpenDatabase

    var rowCount: Int { lists.count }

    func row(_ number: Int) -> (key: [UInt8], title: [UInt8]) { (lists[number].key, lists[number].title) }

    func level(below number: Int) -> any TableLevel { RecordLevel(list: lists[number].list, database: database) }

    func count(below number: Int) throws -> RecordCount { try database.briefCount(lists[number].list) }
}
