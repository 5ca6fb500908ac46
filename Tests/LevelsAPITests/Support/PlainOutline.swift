import Bytes
import Levels
import TestDocuments

/// An outline computed in the plainest way: all rows of all open levels in one array.
struct PlainOutline {
    struct Row: Equatable {
        let href: String
        let indent: Int
        let isExpanded: Bool
        let isFirst: Bool
        let isLast: Bool
    }

    private(set) var rows: [Row] = []
    private let depth: Int
    private let open: Set<String>

    /// - Parameters:
    ///   - depth: how many levels are open.
    ///   - paths: the encoded paths of items that are open with all above them.
    init(_ level: Level?, depth: Int, paths: [String]) {
        self.depth = depth
        let living = Set(Self.paths(below: level, prefix: ""))
        var open: Set<String> = []
        for path in paths where living.contains(path) {
            let steps = path.split(separator: "/")
            for count in 1...steps.count { open.insert(steps.prefix(count).joined(separator: "/")) }
        }
        self.open = open
        if let level { add(level, prefix: "", indent: 0) }
    }

    private mutating func add(_ level: Level, prefix: String, indent: Int) {
        for row in 0..<level.count {
            let path = prefix + Self.encoded(level.key(row))
            let below = level.childCount(row) > 0 ? level.child(row) : nil
            let isExpanded = below != nil && (indent + 1 < depth || open.contains(path))
            rows.append(
                Row(
                    href: (below == nil ? "/detail/" : "/levels/") + path, indent: indent, isExpanded: isExpanded,
                    isFirst: row == 0, isLast: row == level.count - 1))
            if isExpanded, let below { add(below, prefix: path + "/", indent: indent + 1) }
        }
    }

    /// The encoded paths of all items below a level, in order.
    static func paths(below level: Level?, prefix: String = "") -> [String] {
        guard let level else { return [] }
        return (0..<level.count).flatMap { row in
            let path = prefix + encoded(level.key(row))
            return [path] + paths(below: level.child(row), prefix: path + "/")
        }
    }

    /// A text as one segment of a path.
    static func encoded(_ text: String) -> String {
        var buffer = ByteBuffer(capacity: 64)
        PercentEncoding.append(text.utf8Span.span, to: &buffer)
        return String(utf8: buffer.span)
    }
}
