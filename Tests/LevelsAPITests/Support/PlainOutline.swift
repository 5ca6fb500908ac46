import Bytes
import Levels
import TestDocuments

@testable import LevelsAPI

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
    /// The order in which the answer about a level shows it.
    private static let cache = ArrangementCache(bytes: 0)

    /// - Parameters:
    ///   - depth: how many levels are open.
    ///   - paths: the encoded paths of items that are open with all above them.
    init(below step: Item.Step, depth: Int, paths: [String]) {
        self.depth = depth
        let living = Set(Self.paths(below: step.level.child(step.row), prefix: ""))
        var open: Set<String> = []
        for path in paths where living.contains(path) {
            let steps = path.split(separator: "/")
            for count in 1...steps.count { open.insert(steps.prefix(count).joined(separator: "/")) }
        }
        self.open = open
        add(below: step, prefix: "", indent: 0)
    }

    private mutating func add(below step: Item.Step, prefix: String, indent: Int) {
        guard let level = step.level.child(step.row) else { return }
        let listing = Self.cache.listing(below: step)
        for position in 0..<level.count {
            let row = listing.place(at: position).row
            let path = prefix + Self.encoded(level.key(row))
            let below = level.childCount(row) > 0 ? level.child(row) : nil
            let isExpanded = below != nil && (indent + 1 < depth || open.contains(path))
            rows.append(
                Row(
                    href: (below == nil ? "/detail/" : "/levels/") + path, indent: indent, isExpanded: isExpanded,
                    isFirst: position == 0, isLast: position == level.count - 1))
            if isExpanded { add(below: Item.Step(level: level, row: row), prefix: path + "/", indent: indent + 1) }
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
