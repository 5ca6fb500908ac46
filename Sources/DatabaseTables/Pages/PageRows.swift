internal import DatabaseTrees
internal import Levels

/// The rows of a page. Each record is added when it is read.
struct PageRows: ~Copyable {
    var packer: RowPacker
    /// The sentences about fields that are too large to be shown, by the number of the row.
    var refusals: [Int: String] = [:]
    /// The records below each row of the page, and the number of rows that follow them; empty if all records of the table
    /// have the same number of rows below them.
    var below: [(list: RecordList, following: Int)] = []

    /// The number of values with rows in each row of the page; empty if no column can have such values.
    var valueCounts: [Int] = []

    /// The rows that refer to other records.
    var referring = ReferringRows()

    var count: Int { packer.count }

    /// - Parameter limit: the maximum number of rows, which may be far more than there are.
    init(limit: Int) { packer = RowPacker(expecting: min(limit, PageQuery.defaultLimit)) }

    mutating func add(_ statement: ResultRow, key: Span<UInt8>, reader: RecordReader) {
        let number = packer.count
        reader.begin(statement, key: key, in: &packer)
        let drilled = reader.drilledValues(statement).map(\.number)
        if reader.drills { valueCounts.append(drilled.count) }
        if let refusal = reader.addFields(statement, without: drilled, to: &packer) { refusals[number] = refusal }
        if !reader.references.isEmpty { referring.add(statement, number: number, references: reader.references) }
        guard reader.isTree, let tree = reader.table.tree else { return }
        let list = RecordList(
            table: reader.table, referringBy: tree, to: reader.table, identity: reader.identity(statement))
        below.append((list, reader.table.referring.count))
    }

    mutating func add(_ list: NamedList) {
        packer.beginRow(key: list.key.span, title: list.title.span)
        below.append((list.list, 0))
    }
}
