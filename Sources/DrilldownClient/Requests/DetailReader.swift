/// The reader of the answer to a request for a detail.
enum DetailReader {
    static func read(_ bytes: [UInt8]) throws(JSONError) -> Detail { try answer(bytes).detail }

    /// Reads the detail, and the link to get next; the link is nil if the service is older than this library.
    static func answer(_ bytes: [UInt8]) throws(JSONError) -> (detail: Detail, follow: String?) {
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
            case "links": detail.links = try ItemHead.links(&reader)
            case "control": detail.control = try ControlReader.read(&reader)
            default: try head.read(name, &reader)
            }
        }
        try reader.end()
        try head.check(at: reader.offset)
        guard hasFields else { throw JSONError(reason: "it has no 'fields'", at: reader.offset) }
        detail.title = head.title
        detail.path = head.path
        detail.version = ItemVersion(rawValue: head.version)
        detail.isLeaf = head.isLeaf
        detail.ancestors = head.ancestors
        detail.error = head.error
        return (detail, head.follow)
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

extension Transport {
    /// Requests the detail of an item.
    func detail(at path: ItemPath) async throws -> Detail {
        try path.check()
        return try await value(of: path.detailLink, as: DetailReader.read)
    }
}

/// The members that the answers for a level and for a detail have in common.
struct ItemHead {
    private(set) var title = ""
    private(set) var path = ItemPath.root
    private(set) var version = ""
    private(set) var isLeaf = false
    private(set) var ancestors: [ItemLink] = []
    private(set) var error: String?
    /// The link to get next; nil if the service is older than this library.
    private(set) var follow: String?
    /// The required members that have not been read yet.
    private var missing: Set = ["title", "href", "version"]

    mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) {
        switch name {
        case "title": title = try reader.text()
        case "href": path = try Self.path(&reader)
        case "version": version = try reader.text()
        case "leaf": isLeaf = try reader.boolean()
        case "ancestors":
            try reader.list { reader throws(JSONError) in ancestors.append(try Self.link(&reader)) }
        case "error": error = try reader.text()
        case "follow": follow = try reader.text()
        default: return try reader.skip()
        }
        missing.remove(name)
    }

    func check(at end: Int) throws(JSONError) {
        if let name = missing.min() { throw JSONError(reason: "it has no '\(name)'", at: end) }
    }

    static func link(_ reader: inout JSONReader) throws(JSONError) -> ItemLink {
        var link = ItemLink(title: "", path: .root)
        try reader.object { name, reader throws(JSONError) in
            switch name {
            case "title": link.title = try reader.text()
            case "href": link.path = try path(&reader)
            default: try reader.skip()
            }
        }
        return link
    }

    static func links(_ reader: inout JSONReader) throws(JSONError) -> [String: ItemLink] {
        var links: [String: ItemLink] = [:]
        try reader.object { name, reader throws(JSONError) in links[name] = try link(&reader) }
        return links
    }

    private static func path(_ reader: inout JSONReader) throws(JSONError) -> ItemPath {
        let start = reader.offset
        guard let path = ItemPath(href: try reader.text()) else {
            throw JSONError(reason: "it has an 'href' that is not a link of an item", at: start)
        }
        return path
    }
}
