import Bytes
internal import PropertyLists

/// An item in a tree: the rows that lead to the item, from the root's row on.
///
/// `find` follows a path down from a document:
///
///     guard case .found(let item) = Item.find(path, in: tree.document) else { return }
///     print(item.titlePath, item.count)
public struct Item: Sendable {
    /// One step of the path: a level and the number of a row in it.
    public struct Step: Sendable {
        /// The level.
        public let level: Level
        /// The number of the row in the level, from 0.
        public let row: Int

        /// - Parameter row: a row that the level has.
        public init(level: Level, row: Int) {
            self.level = level
            self.row = row
        }

        /// The level below the item; nil for most leaves.
        @inline(__always)
        public var below: Level? { level.child(row) }
    }

    /// The steps from the root's row to the item's own row; never empty.
    public let steps: [Step]

    /// The number of rows below an item outside of a tree; nil if the level determines the number.
    private let knownCount: Int?

    package init(_ steps: [Step]) {
        self.steps = steps
        knownCount = nil
    }

    /// The root of a document.
    public init(rootOf document: Level) { self.init([Step(level: document, row: 0)]) }

    /// An item outside of a tree.
    ///
    /// - Parameters:
    ///   - steps: the rows from the root to the item itself. Each row may be in a level of its own.
    ///   - count: the number of rows below the item.
    public init(steps: [Step], count: Int) {
        self.steps = steps
        knownCount = count
    }

    /// The result of following a path.
    public enum Lookup: Sendable {
        /// The item that the path leads to.
        case found(Item)
        /// The last existing item on the path, and the index of the first key without a row. The number of the item's
        /// rows may be left out.
        case missing(nearest: Item, keyNumber: Int)
    }

    /// Follows a path; O(keys) for levels of any size.
    public static func find(_ path: ItemPath, in document: Level) -> Lookup {
        var steps: [Step] = []
        steps.reserveCapacity(path.count + 1)
        steps.append(Step(level: document, row: 0))
        let keys = path.bytes
        for number in 0..<path.count {
            let own = steps[number]
            guard let level = own.below,
                let row = level.row(withKey: keys.span.extracting(path.range(number)))
            else { return .missing(nearest: Item(steps), keyNumber: number) }
            steps.append(Step(level: level, row: row))
        }
        return .found(Item(steps))
    }

    /// The item's own step.
    public var own: Step { steps[steps.count - 1] }

    /// The level below the item; nil for most leaves.
    public var level: Level? { own.below }

    /// The number of rows below the item; an estimate if these rows are not in memory.
    public var count: Int {
        if let knownCount { return knownCount }
        let count = own.level.childCount(own.row)
        return count == 0 ? own.below?.countElsewhere ?? 0 : count
    }

    /// Whether there is nothing below the item: neither rows nor sections.
    public var isLeaf: Bool { count == 0 && level?.showsOnlySections != true }

    /// The number of levels above the item; 0 for the root.
    public var depth: Int { steps.count - 1 }

    /// The titles below the root, such as `/Item 4/Screen G`; `/` for the root.
    public var titlePath: String { TitlePath.text(steps.dropFirst().map { $0.level.title($0.row) }) }

    /// The row of the item above; nil for the root.
    public var stepAbove: Step? { steps.count > 1 ? steps[steps.count - 2] : nil }
}

/// Formats the titles from the root to an item for sentences.
enum TitlePath {
    private static let mostTitles = 12

    /// `/Item 4/Screen G`, or `/` for the root. The middle of a very deep path and the end of a long title appear as
    /// `…`.
    static func text(_ titles: [String]) -> String { joined(titles.map { QuotedText(text: $0).description }) }

    /// Joins titles into a path without quoting them. The titles must be safe in a message.
    static func joined(_ steps: [String]) -> String {
        guard !steps.isEmpty else { return "/" }
        guard steps.count > mostTitles else { return steps.map { "/" + $0 }.joined() }
        let half = mostTitles / 2
        return joined(Array(steps.prefix(half))) + "/…" + joined(Array(steps.suffix(half)))
    }
}

/// Items by row numbers.
extension Item {
    /// The row numbers from the root's level to the item; empty for the root.
    var rowPath: [Int] { steps.dropFirst().map(\.row) }

    /// The item to which the row numbers lead; nil if a row is missing.
    init?(rowPath: [Int], in document: Level) {
        var steps = [Step(level: document, row: 0)]
        for row in rowPath {
            let own = steps[steps.count - 1]
            guard let level = own.below, row >= 0, row < level.rowCount else { return nil }
            steps.append(Step(level: level, row: row))
        }
        self.init(steps)
    }
}

extension Item.Step {
    /// Whether two rows have the same title.
    public func hasSameTitle(as other: Item.Step) -> Bool {
        isEqual(to: other, level.row(row).title, other.level.row(other.row).title)
    }

    /// Whether two rows have the same key.
    public func hasSameKey(as other: Item.Step) -> Bool {
        isEqual(to: other, level.row(row).key, other.level.row(other.row).key)
    }

    private func isEqual(to other: Item.Step, _ own: Range<Int>, _ others: Range<Int>) -> Bool {
        let (bytes, otherBytes) = (level.bytes, other.level.bytes)
        return bytes.span.extracting(own).isEqual(to: otherBytes.span.extracting(others))
    }
}
