import Levels
import PropertyLists

/// Which levels and details answer otherwise in one tree than in another (API.md, section 4).
///
/// A walk down both trees at once that stops where nothing below can differ. What is compared is what is shown, as JSON
/// without a query; an item that came or went counts with all below it.
struct TreeDifference {
    /// Links in canonical form, from the root down.
    private(set) var levels: [String] = []
    private(set) var details: [String] = []
    /// Whether there are more links than are told.
    private(set) var isTruncated = false

    /// How many links are told.
    static let limit = 1_000

    private var waiting: [Visit]

    /// - Parameters:
    ///   - old: the document of a snapshot.
    ///   - new: that of another.
    init(from old: Level, to new: Level) {
        waiting = [Visit(old: Item.Step(level: old, row: 0), new: Item.Step(level: new, row: 0), path: [])]
        while !isTruncated, let visit = waiting.popLast() { look(visit) }
        waiting = []
    }

    /// Whether nothing differs.
    var isEmpty: Bool { levels.isEmpty && details.isEmpty && !isTruncated }

    /// An item in both trees, or in one of them.
    private struct Visit {
        let old: Item.Step?
        let new: Item.Step?
        /// Its encoded keys from the root on, divided by `/`.
        let path: [UInt8]
        /// Whether the title of an item above differs.
        var isBelowChange = false
        /// Whether the number of its section differs, which only its siblings tell.
        var isInOtherSection = false
    }

    private mutating func look(_ visit: Visit) {
        guard let old = visit.old, let new = visit.new else {
            add(visit.path, level: true, detail: true)
            guard let step = visit.old ?? visit.new, let level = step.level.child(step.row) else { return }
            for row in (0..<level.count).reversed() {
                let child = Item.Step(level: level, row: row)
                let path = Self.path(visit.path, child)
                waiting.append(
                    Visit(old: visit.old == nil ? nil : child, new: visit.new == nil ? nil : child, path: path))
            }
            return
        }
        let pair = ShownItems(old: old, new: new)
        let isRenamed = visit.isBelowChange || pair.hasOtherTitle
        let detail = visit.isBelowChange || visit.isInOtherSection || pair.hasOtherDetail
        let before = old.level.child(old.row)
        let after = new.level.child(new.row)
        if before?.hash == after?.hash {
            add(visit.path, level: isRenamed, detail: detail)
            if isRenamed, let after, let before { followAll(before, after, below: visit.path) }
        } else {
            let rows = ShownRows(old: before, new: after)
            add(visit.path, level: isRenamed || rows.differ, detail: detail)
            follow(rows, below: visit, isRenamed: isRenamed)
        }
    }

    private mutating func add(_ path: [UInt8], level: Bool, detail: Bool) {
        let text = String(decoding: path, as: UTF8.self)
        if level { levels.append("/levels/" + text) }
        if detail { details.append("/detail/" + text) }
        guard levels.count + details.count > Self.limit else { return }
        isTruncated = true
        levels = ["/levels/"]
        details = []
    }

    /// All items below one whose title differs tell it among their ancestors.
    private mutating func followAll(_ old: Level, _ new: Level, below path: [UInt8]) {
        for row in (0..<new.count).reversed() {
            let child = Item.Step(level: new, row: row)
            waiting.append(
                Visit(
                    old: Item.Step(level: old, row: row), new: child, path: Self.path(path, child), isBelowChange: true)
            )
        }
    }

    private mutating func follow(_ rows: ShownRows, below visit: Visit, isRenamed: Bool) {
        for candidate in rows.candidates(all: isRenamed).reversed() {
            let old = rows.old.flatMap { level in candidate.old.map { Item.Step(level: level, row: $0) } }
            let new = rows.new.flatMap { level in candidate.new.map { Item.Step(level: level, row: $0) } }
            guard let step = new ?? old else { continue }
            waiting.append(
                Visit(
                    old: old, new: new, path: Self.path(visit.path, step), isBelowChange: isRenamed,
                    isInOtherSection: candidate.isInOtherSection))
        }
    }

    private static func path(_ path: [UInt8], _ child: Item.Step) -> [UInt8] {
        var buffer = ByteBuffer(capacity: path.count + 32)
        buffer.append(path.span)
        if !path.isEmpty { buffer.append(UInt8(ascii: "/")) }
        let bytes = child.level.bytes
        PercentEncoding.append(bytes.span.extracting(child.level.row(child.row).key), to: &buffer)
        return Array(copying: buffer.span)
    }
}
