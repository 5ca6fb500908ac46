/// A source of items and the rows below them: a tree in memory, or a source that makes the rows of a page on request.
///
/// It is immutable, and shows one publication. Its functions are called on any thread. `find`, `page`, `detail` and
/// `hash` have no defaults; the other defaults suit a source whose rows are found at once.
///
/// A request calls `begin`, then `find` with its path, then `page` or `detail` with the found item, and finally `end`.
/// The manual (Architecture, Adding to it) names the files of a new source.
public protocol RowSource: Sendable {
    /// Returns the source for one answer, which shows one state until `end`.
    ///
    /// - Parameter isWanted: whether the answer is still wanted; otherwise it may end with any refusal.
    func begin(while isWanted: @escaping @Sendable () -> Bool) throws(RowRefusal) -> any RowSource

    /// Returns an answer that `keep` has stored for the shown state, or nil.
    func keptAnswer(_ name: String) -> (any Sendable)?

    /// Stores an answer for the shown state.
    ///
    /// - Parameter cost: its approximate memory use, in bytes.
    func keep(_ answer: any Sendable, as name: String, cost: Int)

    /// Ends the answer, and frees its resources.
    func end()

    /// Follows a path.
    func find(_ path: ItemPath) throws(RowRefusal) -> Item.Lookup

    /// One page of the rows below an item.
    ///
    /// - Throws: `RowRefusal` for an unsupported query.
    func page(_ query: RowQuery, below item: Item) throws(RowRefusal) -> RowPage

    /// An item with its neighbours, in the order of a page without a query.
    func detail(of item: Item) throws(RowRefusal) -> ItemDetail

    /// Whether all functions return at once; otherwise they are called only on threads that no other request waits for.
    var isImmediate: Bool { get }

    /// Whether its items can be written as documents; if not, items have only levels and details.
    var hasDocuments: Bool { get }

    /// The hash of everything that an answer about an item can show; equal hashes mean equal answers.
    func hash(of part: ShownPart, of item: Item) -> ContentHash

    /// The hash of the answer about an item's own level, without the levels below; nil if it is not known, or if `hash`
    /// covers no more than that.
    func rowsHash(of item: Item) -> ContentHash?

    /// Whether answers about items of two publications are known to be equal without hashing.
    func showsTheSame(_ part: ShownPart, of item: Item, as other: Item) -> Bool

    /// The number of rows to look at to find the rows of a page; 0 if they are known. Beyond the limit for immediate
    /// answers, the page is made on another thread.
    ///
    /// - Parameters:
    ///   - query: nil for the detail of the item.
    ///   - limit: the number of rows that may be looked at for this answer.
    func work(_ query: RowQuery?, below item: Item, limit: Int) -> Int

    /// The approximate cost of an answer when nothing is cached.
    ///
    /// - Parameter query: nil for the detail of the item.
    func cost(_ query: RowQuery?, below item: Item) -> RowCost
}

extension RowSource {
    public func begin(while isWanted: @escaping @Sendable () -> Bool) throws(RowRefusal) -> any RowSource { self }
    public func begin() throws(RowRefusal) -> any RowSource { try begin { true } }
    public func keptAnswer(_ name: String) -> (any Sendable)? { nil }
    public func keep(_ answer: any Sendable, as name: String, cost: Int) {}
    public func end() {}
    public var isImmediate: Bool { true }
    public var hasDocuments: Bool { false }
    public func rowsHash(of item: Item) -> ContentHash? { nil }
    public func showsTheSame(_ part: ShownPart, of item: Item, as other: Item) -> Bool { false }
    public func work(_ query: RowQuery?, below item: Item, limit: Int) -> Int { 0 }
    public func cost(_ query: RowQuery?, below item: Item) -> RowCost {
        RowCost(written: query.map { $0.page.limit ?? PageQuery.defaultLimit } ?? 0, sought: 0)
    }
}

/// The part of an item that an answer shows.
public enum ShownPart: Sendable {
    /// The rows of its level.
    case rows
    /// Rows of all levels below.
    case rowsBelow
    /// The item itself.
    case detail
}

/// The approximate numbers of rows for an answer.
public struct RowCost: Sendable, Equatable {
    /// The rows that are written; a row with long fields counts as several.
    public let written: Int
    /// The rows that are looked at to find them.
    public let sought: Int

    public init(written: Int, sought: Int) {
        self.written = written
        self.sought = sought
    }
}

/// The reason why a source refuses an answer.
public struct RowRefusal: Error, Equatable {
    /// The kind of a refusal, which determines how a client can react.
    public enum Kind: Sendable, Equatable {
        /// The query is not supported.
        case unsupported
        /// No index serves the query; `create` is the statement that makes one, nil if no index would help.
        case needsIndex(create: String?)
        /// The query exceeded its time limit.
        case timeout
        /// The source cannot be read now.
        case unreadable
    }

    public let kind: Kind
    /// The name of the refused option; nil if no option is at fault.
    public let parameter: String?
    /// A whole sentence for clients.
    public let sentence: String

    public init(kind: Kind = .unsupported, parameter: String? = nil, sentence: String) {
        self.kind = kind
        self.parameter = parameter
        self.sentence = sentence
    }
}

/// An item, its position among its siblings, and the rows beside and below it.
public struct ItemDetail: Sendable {
    /// The item.
    public let item: Item
    /// Its position among its siblings; nil if it is not known.
    public let position: Int?
    /// The number of its siblings and itself.
    public let count: Int
    /// The links of a record; nil for other items.
    public let links: RecordLinks?
    /// The number of its section.
    public let section: Int
    /// The rows before and after it.
    public let previous, next: Item.Step?
    /// The shown properties of the rows below it.
    public let children: ChildRows

    /// The properties of the rows below an item that a detail shows.
    public struct ChildRows: Sendable {
        /// The number of rows.
        public let count: Int
        /// The first and the last row, if any.
        public let first, last: Item.Step?
        /// The reason why the rows could not be read, or not all of them; otherwise nil.
        public let refusal: String?

        /// Creates the properties of the rows below an item.
        ///
        /// - Parameter refusal: the reason why the rows could not be read, or not all of them; otherwise nil.
        public init(count: Int, first: Item.Step?, last: Item.Step?, refusal: String? = nil) {
            self.count = count
            self.first = first
            self.last = last
            self.refusal = refusal
        }

        /// Creates the properties of the rows below a tree's item.
        public init(_ rows: Listing) {
            count = rows.count
            first = rows.step(at: 0)
            last = rows.step(at: count - 1)
            refusal = count == 0 ? rows.level?.refusal : nil
        }
    }

    public init(
        item: Item, position: Int?, of count: Int, section: Int = 0, previous: Item.Step?, next: Item.Step?,
        children: ChildRows, links: RecordLinks? = nil
    ) {
        self.links = links
        self.item = item
        self.position = position
        self.count = count
        self.section = section
        self.previous = previous
        self.next = next
        self.children = children
    }
}

/// The links of a record of a table.
public struct RecordLinks: Sendable, Equatable {
    /// A record that the record refers to.
    public struct Link: Sendable, Equatable {
        /// The columns that refer to it, joined by commas.
        public let name: String
        public let title: [UInt8]
        /// The keys of the path to the record.
        public let path: [[UInt8]]

        public init(name: String, title: [UInt8], path: [[UInt8]]) {
            (self.name, self.title, self.path) = (name, title, path)
        }
    }

    /// The keys of the shortest path to the record; nil without a path.
    public let canonical: [[UInt8]]?
    /// The records that it refers to.
    public let references: [Link]

    public init(canonical: [[UInt8]]?, references: [Link]) {
        (self.canonical, self.references) = (canonical, references)
    }
}
