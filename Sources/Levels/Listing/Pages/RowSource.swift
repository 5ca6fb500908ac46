/// What answers questions about items and the rows below them: a tree in memory, or something that makes the rows of a page
/// when they are asked for.
///
/// It never changes: what it answers is what one publication shows. Its functions are called on any thread, and may block
/// only if `work` says that the answer takes long. The functions after `detail` have defaults, which serve a source whose
/// rows never change and take no time to find.
public protocol RowSource: Sendable {
    /// Follows a path.
    func find(_ path: ItemPath) -> Item.Lookup

    /// One page of the rows below an item.
    ///
    /// - Throws: `RowRefusal` for a query that the source does not answer.
    func page(_ query: RowQuery, below item: Item) throws(RowRefusal) -> RowPage

    /// An item with its neighbours, in the order in which a page without a query shows them.
    func detail(of item: Item) throws(RowRefusal) -> ItemDetail

    /// Whether documents are made of its items; if not, every item has only a level and a detail.
    var hasDocuments: Bool { get }

    /// The hash of everything that an answer about an item may show: equal hashes mean equal answers.
    func hash(of part: ShownPart, of item: Item) -> ContentHash

    /// The hash of what the answer about an item's own level shows; nil if `hash` is as good, or this is not known.
    func rowsHash(of item: Item) -> ContentHash?

    /// Whether an answer is known, without hashing, to show the same about an item and about one of another publication.
    func showsTheSame(_ part: ShownPart, of item: Item, as other: Item) -> Bool

    /// How many rows must be looked at to find the rows of a page; 0 if they are known. Beyond the limit for immediate
    /// answers, the page is made on another thread.
    ///
    /// - Parameters:
    ///   - query: nil for the detail of the item.
    ///   - limit: the most rows that may be looked at to find out the number.
    func work(_ query: RowQuery?, below item: Item, limit: Int) -> Int

    /// About how much an answer costs when nothing is kept.
    ///
    /// - Parameter query: nil for the detail of the item.
    func cost(_ query: RowQuery?, below item: Item) -> RowCost
}

extension RowSource {
    public var hasDocuments: Bool { false }
    public func rowsHash(of item: Item) -> ContentHash? { nil }
    public func showsTheSame(_ part: ShownPart, of item: Item, as other: Item) -> Bool { false }
    public func work(_ query: RowQuery?, below item: Item, limit: Int) -> Int { 0 }
    public func cost(_ query: RowQuery?, below item: Item) -> RowCost {
        RowCost(written: query.map { $0.page.limit ?? PageQuery.defaultLimit } ?? 0, sought: 0)
    }
}

/// What an answer about an item shows.
public enum ShownPart: Sendable {
    /// The rows of its level.
    case rows
    /// Rows of all levels below.
    case rowsBelow
    /// The item itself.
    case detail
}

/// About how many rows are looked at and written for an answer.
public struct RowCost: Sendable, Equatable {
    /// The rows that are written; a row with long fields counts as several.
    public let written: Int
    /// The rows that are looked at to find those.
    public let sought: Int

    /// Creates a cost.
    public init(written: Int, sought: Int) {
        self.written = written
        self.sought = sought
    }
}

/// A query that a source does not answer, such as an order that no index gives.
public struct RowRefusal: Error, Equatable {
    /// The name of the option that is refused.
    public let parameter: String
    /// A whole sentence about what would be answered.
    public let sentence: String

    /// Creates a refusal.
    public init(parameter: String, sentence: String) {
        self.parameter = parameter
        self.sentence = sentence
    }
}

/// An item, its position among its siblings, and the rows beside and below it.
public struct ItemDetail: Sendable {
    /// The item.
    public let item: Item
    /// Its position among its siblings, and their number.
    public let position, count: Int
    /// The number of its section.
    public let section: Int
    /// The rows before and after it.
    public let previous, next: Item.Step?
    /// What is shown of the rows below it.
    public let children: ChildRows

    /// What a detail shows of the rows below an item.
    public struct ChildRows: Sendable {
        /// The number of rows.
        public let count: Int
        /// The first and the last one; nil if there are none.
        public let first, last: Item.Step?
        /// Why the level could not be read.
        public let refusal: String?

        /// Creates what is shown of a level that could be read.
        public init(count: Int, first: Item.Step?, last: Item.Step?) {
            self.count = count
            self.first = first
            self.last = last
            refusal = nil
        }

        /// What is shown of all rows below an item of a tree.
        public init(_ rows: Listing) {
            count = rows.count
            first = rows.step(at: 0)
            last = rows.step(at: count - 1)
            refusal = count == 0 ? rows.level?.refusal : nil
        }
    }

    /// Creates the detail of an item.
    public init(
        _ item: Item, position: Int, of count: Int, section: Int = 0, previous: Item.Step?, next: Item.Step?,
        children: ChildRows
    ) {
        self.item = item
        self.position = position
        self.count = count
        self.section = section
        self.previous = previous
        self.next = next
        self.children = children
    }
}
