internal import Bytes
internal import Levels
internal import PropertyLists

/// Writes the `fields` of an item: the item's dictionary as JSON, with `null` in place of the rows.
///
/// A value of a type that JSON lacks becomes a dictionary with one key: `{"$date":"2001-03-12T00:00:00Z"}`,
/// `{"$data":"base64"}`, `{"$real":"nan"}` or `{"CF$UID":1}`. If the only key of an author's dictionary begins with
/// `$`, the dictionary becomes the value of the key `$dict` in another dictionary.
struct FieldsWriter: PropertyListConsumer, ~Copyable {
    /// The writer of the JSON. Its output is the text of the latest item.
    private(set) var json = JSONPropertyListWriter()
    private var open: [Container] = []
    private let mostBytes: Int

    /// - Parameter mostBytes: the maximum size of the fields of an item.
    init(mostBytes: Int = ItemRow.mostBytes) { self.mostBytes = mostBytes }

    /// An open container.
    private struct Container {
        /// The offset at which the dictionary begins in the output; nil for an array.
        let start: Int?
        var keys = 0
        var beginsWithDollar = false
    }

    /// The `fields` of the item in a row of a level.
    ///
    /// - Throws: `PropertyListError` for a date outside the calendar, or for fields that are too large.
    static func fields(of step: Item.Step) throws(PropertyListError) -> [UInt8] {
        var writer = FieldsWriter()
        try writer.write(step)
        return Array(copying: writer.json.output.span)
    }

    /// Writes the fields of an item, in place of the fields of the previous item.
    mutating func write(_ step: Item.Step) throws(PropertyListError) {
        json.restart()
        var walk = TreeWalk(fieldsOf: step.level, row: step.row)
        try walk.finish(to: &self)
        try json.finish()
        guard json.output.count <= mostBytes else { throw Self.tooLarge }
    }

    static let tooLarge = PropertyListError(
        reason:
            "its fields have more than \(ItemRow.mostBytes >> 20) MiB as JSON; store large data in separate files")

    mutating func beginDictionary(at position: SourcePosition) {
        // This writes the brace as the last byte, perhaps after a comma.
        json.beginDictionary(at: position)
        open.append(Container(start: json.output.count - 1))
    }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        open[open.count - 1].keys += 1
        open[open.count - 1].beginsWithDollar = name.count > 0 && name[0] == UInt8(ascii: "$")
        json.key(name, at: position)
    }

    mutating func endDictionary() {
        json.endDictionary()
        guard let container = open.popLast(), let start = container.start, container.keys == 1,
            container.beginsWithDollar
        else { return }
        let dictionary = Array(copying: json.output.span.extracting(start..<json.output.count))
        json.output.truncate(to: start)
        json.output.append("{\"$dict\":" as StaticString)
        json.output.append(dictionary.span)
        json.output.append(UInt8(ascii: "}"))
    }

    mutating func beginArray(at position: SourcePosition) {
        json.beginArray(at: position)
        open.append(Container(start: nil))
    }

    mutating func endArray() {
        json.endArray()
        _ = open.popLast()
    }

    mutating func string(_ text: Span<UInt8>) { json.string(text) }

    mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        switch value {
        case .date: try wrap("$date", value)
        case .real(let number) where !number.isFinite: try wrap("$real", value)
        default: try json.scalar(value)
        }
    }

    mutating func data(_ bytes: Span<UInt8>) {
        json.beginDictionary(at: Self.nowhere)
        json.rawMember("$data")
        json.data(bytes)
        json.endDictionary()
    }

    mutating func null() { json.null() }

    private static let nowhere = SourcePosition.byte(offset: 0)

    private mutating func wrap(_ type: StaticString, _ value: PropertyListScalar) throws(PropertyListError) {
        json.beginDictionary(at: Self.nowhere)
        json.rawMember(type)
        try json.scalar(value)
        json.endDictionary()
    }
}
