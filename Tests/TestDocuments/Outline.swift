import Bytes
import Levels
import PropertyLists

/// A tree as lines of text, so that a test can compare all of it: `key (title) {fields}`, the rows below indented.
///
/// The title stands only where it is not the key, the fields only where the item is not a bare string.
enum Outline {
    static func of(_ tree: Tree) throws -> String { try of(tree.document) }

    /// The root's row and all below it.
    static func of(_ document: Level) throws -> String {
        var lines: [String] = []
        try add(document, indent: "", to: &lines)
        return lines.joined(separator: "\n")
    }

    private static func add(_ level: Level, indent: String, to lines: inout [String]) throws {
        if level.sections.isEmpty {
            for row in 0..<level.count { try add(row, of: level, indent: indent, to: &lines) }
        }
        for section in level.sections {
            lines.append(indent + heading(section))
            for row in section.start..<section.start + section.count {
                try add(row, of: level, indent: indent, to: &lines)
            }
        }
    }

    private static func add(_ row: Int, of level: Level, indent: String, to lines: inout [String]) throws {
        let (key, title) = (level.key(row), level.title(row))
        var line = indent + key
        if !key.utf8.elementsEqual(title.utf8) { line += " (\(title))" }
        if !level.row(row).isString { line += " " + (try fields(of: row, in: level)) }
        lines.append(line)
        if let below = level.child(row) { try add(below, indent: indent + "  ", to: &lines) }
    }

    private static func heading(_ section: Section) -> String {
        let index = section.index.map { " index=\($0)" } ?? ""
        let footer = section.footer.map { " footer=\($0)" } ?? ""
        return "[\(section.title ?? "-")\(index)\(footer)]"
    }

    /// The fields that a detail shows, as JSON.
    static func fields(of row: Int, in level: Level) throws -> String {
        let bytes = level.bytes
        let range = level.row(row).fields
        var writer = JSONPropertyListWriter()
        writer.beginDictionary(at: .byte(offset: 0))
        var reader = PackedReader(bytes: bytes.span, at: range.lowerBound)
        while reader.offset < range.upperBound {
            let name = reader.run()
            switch PackedTag(rawValue: bytes[reader.offset]) {
            case .hole, .hidden, .control: reader.skipValue()
            default:
                writer.key(bytes.span.extracting(name), at: .byte(offset: 0))
                var walk = PackedWalk()
                reader.offset = try walk.tell(bytes.span, at: reader.offset, to: &writer)
            }
        }
        writer.endDictionary()
        return String(utf8: writer.output.span)
    }
}
