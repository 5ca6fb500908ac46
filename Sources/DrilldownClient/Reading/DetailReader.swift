/// Reads the answer to the request for a detail.
enum DetailReader {
    /// - Throws: `JSONError` for bytes that are not the answer about a detail.
    static func read(_ bytes: [UInt8]) throws(JSONError) -> Detail {
        var reader = JSONReader(bytes)
        var head = ItemHead()
        var detail = Detail(title: "", path: .root)
        var hasFields = false
        try reader.object { name, reader throws(JSONError) in
            switch name {
            case "fieldsVersion": detail.fieldsVersion = ItemVersion(rawValue: try reader.text())
            case "count": detail.count = try reader.count()
            case "position": detail.position = try position(&reader)
            case "previous": detail.previous = try link(&reader)
            case "next": detail.next = try link(&reader)
            case "firstChild": detail.firstChild = try link(&reader)
            case "lastChild": detail.lastChild = try link(&reader)
            case "fields":
                detail.fields = try reader.fields()
                hasFields = true
            case "control": detail.control = try ControlReader.read(&reader)
            default: try head.read(name, &reader)
            }
        }
        try reader.end()
        head = try head.checked(at: reader.offset)
        guard hasFields else { throw JSONError("it has no 'fields'", at: reader.offset) }
        detail.title = head.title
        detail.path = head.path
        detail.version = ItemVersion(rawValue: head.version)
        detail.isLeaf = head.isLeaf
        detail.ancestors = head.ancestors
        detail.error = head.error
        return detail
    }

    private static func link(_ reader: inout JSONReader) throws(JSONError) -> ItemLink? {
        try reader.skipNull() ? nil : ItemHead.link(&reader)
    }

    private static func position(_ reader: inout JSONReader) throws(JSONError) -> Detail.Position {
        var position = Detail.Position(index: 0, count: 1)
        try reader.object { name, reader throws(JSONError) in
            switch name {
            case "index": position.index = try reader.count()
            case "of": position.count = try reader.count()
            case "section": position.section = try reader.count()
            default: try reader.skip()
            }
        }
        return position
    }
}
