internal import Bytes
internal import DatabaseTrees
internal import Levels
internal import PropertyLists

extension RecordReader {
    /// Returns the title; the key if the title is NULL, empty, data or a structure, or if the table has no title
    /// column.
    func title(_ row: PostgresRow, at place: Int, key: Span<UInt8>) -> [UInt8] {
        guard let number = table.titleColumn, let type = table.columns[number].type, let text = row.bytes(place),
            let title = type.title(text), !title.isEmpty
        else { return Array(copying: key) }
        let shown = title.prefix(Self.rowLimit)
        return String(validating: shown, as: UTF8.self) != nil
            ? Array(shown) : Array(String(decoding: shown, as: UTF8.self).utf8)
    }

    /// Adds a field to a row, unless the value is NULL or too large. Returns the size of a value that is too large;
    /// otherwise nil.
    func addField(
        _ row: PostgresRow, at place: Int, of column: Column, to packer: inout RowPacker
    ) -> Int? {
        guard let type = column.type else { return nil }
        if type.isLong, let size = row.number(place + 1), size > limit { return size }
        guard let text = row.bytes(place) else { return nil }
        do throws(PropertyListError) {
            let value = type.value(text)
            if value != .null { try packer.add(column.bytes.span, value: value) }
        } catch {
            return text.count
        }
        return nil
    }
}
