internal import DatabaseTrees
internal import Levels

/// The rows below a record: its values that have rows, and the lists of what refers to it, one for each foreign key.
struct NamedLists: ShortLevel {
    /// The names of columns with the rows of their values.
    var values: [(name: [UInt8], key: [UInt8], rows: ValueLevel)] = []
    let lists: [NamedList]
    let database: OpenDatabase

    var rowCount: Int { values.count + lists.count }

    func row(_ number: Int) -> (key: [UInt8], title: [UInt8]) {
        guard number >= values.count else { return (values[number].key, values[number].name) }
        let list = lists[number - values.count]
        return (list.key, list.title)
    }

    func level(below number: Int) -> any TableLevel {
        guard number >= values.count else { return values[number].rows }
        return RecordLevel(list: lists[number - values.count].list, database: database)
    }

    func count(below number: Int) throws -> RecordCount {
        guard number >= values.count else {
            return RecordCount(number: values[number].rows.count(), isEstimate: false)
        }
        return try database.briefCount(lists[number - values.count].list)
    }
}
