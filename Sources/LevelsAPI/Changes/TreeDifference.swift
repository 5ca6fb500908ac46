import Bytes
import Levels
import PropertyLists

/// Which levels and details answer otherwise in one tree than in another (manual, Refresh).
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
    /// How long they may be together: the keys in them are as long as the document wants.
    static let byteLimit = 1 << 20

    private var byteCount = 0
    /// The way down to the item that is looked at, a level for each step: so a level of any size takes no memory but that
    /// of its own comparison.
    private var branches: [Branch] = []
    /// The encoded keys of that item from the root on, divided by `/`.
    private var path: [UInt8] = []

    /// - Parameters:
    ///   - old: the document of a snapshot.
    ///   - new: that of another.
    init(from old: Level, to new: Level) {
        look(Visit(old: Item.Step(level: old, row: 0), new: Item.Step(level: new, row: 0)))
        while !isTruncated, let visit = next() { look(visit) }
        branches = []
        path = []
    }

    /// Whether nothing differs.
    var isEmpty: Bool { levels.isEmpty && details.isEmpty && !isTruncated }

    /// An item in both trees, or in one of them.
    private struct Visit {
        let old: Item.Step?
        let new: Item.Step?
        /// Whether the title of an item above differs.
        var isBelowChange = false
        /// Whether the number of its section differs, which only its siblings tell.
        var isInOtherSection = false
    }

    /// The level below an item in both trees, or in one of them, whose rows are looked at one after the other.
    private struct Branch {
        let old: Level?
        let new: Level?
        let rows: AnyIterator<ShownRows.Candidate>
        /// Whether the title of the item, or of one above it, differs.
        var isBelowChange = false
        /// How much of the path leads to the item.
        let pathLength: Int
    }

    /// The next item, in document order.
    private mutating func next() -> Visit? {
        while let branch = branches.last {
            guard let row = branch.rows.next() else {
                branches.removeLast()
                continue
            }
            let old = branch.old.flatMap { level in row.old.map { Item.Step(level: level, row: $0) } }
            let new = branch.new.flatMap { level in row.new.map { Item.Step(level: level, row: $0) } }
            guard let step = new ?? old else { continue }
            enter(step, below: branch.pathLength)
            return Visit(
                old: old, new: new, isBelowChange: branch.isBelowChange, isInOtherSection: row.isInOtherSection)
        }
        return nil
    }

    private mutating func enter(_ step: Item.Step, below length: Int) {
        path.removeSubrange(length...)
        if length > 0 { path.append(UInt8(ascii: "/")) }
        var key = ByteBuffer(capacity: 32)
        let bytes = step.level.bytes
        PercentEncoding.append(bytes.span.extracting(step.level.row(step.row).key), to: &key)
        path += Array(copying: key.span)
    }

    private mutating func look(_ visit: Visit) {
        guard let old = visit.old, let new = visit.new else {
            add(level: true, detail: true)
            return followAll(visit.old.flatMap { $0.level.child($0.row) }, visit.new.flatMap { $0.level.child($0.row) })
        }
        let isRenamed = visit.isBelowChange || !new.isEqual(to: old, in: \.title)
        let detail =
            isRenamed || visit.isInOtherSection
            || !DetailDescription(new).showsTheSame(as: DetailDescription(old))
        let before = old.level.child(old.row)
        let after = new.level.child(new.row)
        if before?.hash == after?.hash {
            add(level: isRenamed, detail: detail)
            if isRenamed { followAll(before, after) }
        } else {
            let rows = ShownRows(old: before, new: after)
            add(level: isRenamed || rows.differ, detail: detail)
            let candidates = AnyIterator(rows.candidates(all: isRenamed).makeIterator())
            branches.append(
                Branch(old: before, new: after, rows: candidates, isBelowChange: isRenamed, pathLength: path.count))
        }
    }

    /// All items below one that came or went do too; below one whose title differs they tell it among their ancestors.
    private mutating func followAll(_ old: Level?, _ new: Level?) {
        guard let count = (new ?? old)?.count else { return }
        let rows = (0..<count).lazy.map { row in
            ShownRows.Candidate(old: old.map { _ in row }, new: new.map { _ in row }, isInOtherSection: false)
        }
        branches.append(
            Branch(
                old: old, new: new, rows: AnyIterator(rows.makeIterator()), isBelowChange: true, pathLength: path.count)
        )
    }

    private mutating func add(level: Bool, detail: Bool) {
        guard level || detail else { return }
        let text = String(decoding: path, as: UTF8.self)
        if level { levels.append("/levels/" + text) }
        if detail { details.append("/detail/" + text) }
        byteCount += text.utf8.count * (level && detail ? 2 : 1)
        guard levels.count + details.count > Self.limit || byteCount > Self.byteLimit else { return }
        isTruncated = true
        levels = ["/levels/"]
        details = []
    }
}
