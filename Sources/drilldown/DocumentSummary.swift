import Bytes
import Levels
import PropertyLists
import TreeSources

/// What `check` tells of a document that can be served.
struct DocumentSummary {
    /// What the load took.
    struct Cost {
        /// Of memory, for as long as the document is served.
        let bytes: Int
        let time: Duration
    }

    private let name: String
    private let loaded: LoadedTree
    private let cost: Cost

    init(_ loaded: LoadedTree, of name: String, _ cost: Cost) {
        (self.loaded, self.name, self.cost) = (loaded, name, cost)
    }

    /// One fact a line; the last line is the verdict, for programs.
    var lines: [String] {
        ["\(name): \(levels), \(memory), loaded in \(time)", "\(name): deepest at \(deepestPath)"] + advice + [verdict]
    }

    /// For a large binary document: each edit takes as long as writing all of it.
    private var advice: [String] {
        guard loaded.syntax == .binary, loaded.tree.itemCount >= 100_000 else { return [] }
        return ["\(name): an edit writes a binary document anew; XML or JSON is faster to edit at this size"]
    }

    private var verdict: String {
        let warnings = loaded.warnings.count + loaded.omittedWarnings
        return "\(name): \(Quantity(loaded.tree.itemCount, "item")), \(Quantity(warnings, "warning"))"
    }

    private var levels: String { "\(Quantity(loaded.tree.deepestLevel.depth + 1, "level"))" }

    /// The path of the first of the deepest levels, to paste behind the address of the service.
    private var deepestPath: String {
        var path = ByteBuffer(capacity: 128)
        path.append("/levels")
        for step in loaded.tree.deepestLevel.steps.dropFirst() {
            path.append(UInt8(ascii: "/"))
            PercentEncoding.append(Array(step.level.key(step.row).utf8).span, to: &path)
        }
        return String(utf8: path.span) + (loaded.tree.deepestLevel.depth == 0 ? "/" : "")
    }

    /// In units of a thousand, as disks and networks count.
    private var memory: String {
        let bytes = max(cost.bytes, 0)
        return bytes < 10_000_000 ? "\((bytes + 999) / 1_000) kB of memory" : "\(bytes / 1_000_000) MB of memory"
    }

    private var time: String {
        let tenths = Int(cost.time / .microseconds(100))
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
