internal import DatabaseTrees
internal import Levels

/// The rows of a page. Each record is added when it is read.
struct PageRows: ~Copyable {
    var packer: RowPacker
    /// The sentences about fields that are too large to be shown, by the number of the row.
    var refusals: [Int: String] = [:]
    /// The rows below each row of the page; empty if all records of the table have the same number of rows below them.
    var below: [Below] = []

    enum Below {
        case record(Table, RecordIdentity)
        case list(RecordList)
    }

    var count: Int { packer.count }

    /// - Parameter limit: the maximum number of rows, which may be far more than there are.
    init(limit: Int) { packer = RowPacker(expecting: min(limit, PageQuery.defaultLimit)) }

    mutating func add(_ statement: ResultRow, key: Span<UInt8>, reader: RecordReader) {
        let number = packer.count
        reader.begin(statement, key: key, in: &packer)
        if let refusal = reader.addFields(statement, to: &packer) { refusals[number] = refusal }
        if reader.isTree { below.append(.record(reader.table, reader.identity(statement))) }
    }

    mutating func add(_ list: NamedList) {
        packer.beginRow(key: list.key.span, title: list.title.span)
        below.append(.list(list.list))
    }
}
