/// A source of items and the rows below them: a tree in memory, or a source that makes the rows of a page on request.
///
/// A source is immutable, and shows one publication. Any thread may call its functions. A source must implement `find`,
/// `page`, `detail` and `hash`. The defaults of the other functions suit a source that finds its rows immediately.
///
/// A request calls `begin`, then `find` with its path, then `page` or `detail` with the found item, and finally `end`.
/// The manual (Architecture, Adding to it) names the files of a new source.
public protocol RowSource: Sendable {
    /// Returns a source for one answer. The returned source shows the same state until `end`.
    ///
    /// - Parameter isWanted: returns whether the answer is still wanted. If not, the answer may end with any refusal.
    func begin(while isWanted: @escaping @Sendable () -> Bool) throws(RowRefusal) -> any RowSource

    /// The number of the shown state; nil if the source does not number its states. Answers from a state may be given
    /// again while the source shows this state.
    var state: Int? { get }

    /// Ends the answer, and frees its resources.
    func end()

    /// Follows a path. If counting the rows below the found item takes long, its count may be 1; the detail and the page
    /// (`RowPage.itemCount`) then have the number.
    func find(_ path: ItemPath) throws(RowRefusal) -> Item.Lookup

    /// Returns one page of the rows below an item.
    ///
    /// - Throws: `RowRefusal` for an unsupported query.
    func page(_ query: RowQuery, below item: Item) throws(RowRefusal) -> RowPage

    /// Returns an item with its neighbours. The rows are in the order of a page without a query.
    func detail(of item: Item) throws(RowRefusal) -> ItemDetail

    /// Whether all functions return immediately. If not, they are called only on threads that no other request waits
    /// for.
    var isImmediate: Bool { get }

    /// Whether the items can be written as documents; if not, items have only levels and details.
    var hasDocuments: Bool { get }

    /// The hash of everything that an answer about an item can show. Equal hashes mean equal answers.
    func hash(of part: ShownPart, of item: Item) -> ContentHash

    /// The hash of the answer about an item's own level, without the levels below. Nil if the hash is not known, or if
    /// `hash` does not include the levels below, either.
    func rowsHash(of item: Item) -> ContentHash?

    /// The number of rows that must be looked at to find the rows of a page; 0 if the rows are known. If this number
    /// exceeds the limit for immediate answers, another thread makes the page.
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
    public var state: Int? { nil }
    public func end() {}
    public var isImmediate: Bool { true }
    public var hasDocuments: Bool { false }
    public func rowsHash(of item: Item) -> ContentHash? { nil }
    public func work(_ query: RowQuery?, below item: Item, limit: Int) -> Int { 0 }
    public func cost(_ query: RowQuery?, below item: Item) -> RowCost {
        RowCost(written: query.map { $0.page.limit ?? PageQuery.defaultLimit } ?? 0, sought: 0)
    }
}

/// The part of an item that an answer shows.
public enum ShownPart: Sendable {
    /// The rows of the item's level.
    case rows
    /// Rows of all levels below.
    case rowsBelow
    /// The item itself.
    case detail
}

/// The approximate cost of an answer, in rows.
public struct RowCost: Sendable, Equatable {
    /// The rows that are written; a row with long fields counts as several.
    public let written: Int
    /// The rows that are looked at to find the rows to write.
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
        /// No index serves the query. `create` is the statement that creates a suitable index; nil if no index would
        /// help.
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

    /// The reason why a source without documents cannot be written as one, without a capital letter and a full stop.
    public static let noDocument =
        "these rows are made when they are asked for, and have no document; read /levels and /detail"

    public init(kind: Kind = .unsupported, parameter: String? = nil, sentence: String) {
        self.kind = kind
        self.parameter = parameter
        self.sentence = sentence
    }
}

/// An item, with its position among its siblings, and the rows beside and below the item.
public struct ItemDetail: Sendable {
    /// The item.
    public let item: Item
    /// The item's position among its siblings; nil if the position is not known.
    public let position: Int?
    /// The number of the item's siblings, including the item.
    public let count: Int
    /// The links of a record; nil for other items.
    public let links: RecordLinks?
    /// The number of the item's section.
    public let section: Int
    /// The rows before and after the item.
    public let previous, next: Item.Step?
    /// The properties of the rows below the item.
    public let children: ChildRows

    /// The properties of the rows below an item, as far as a detail shows them.
    public struct ChildRows: Sendable {
        /// The number of rows.
        public let count: Int
        /// The first and the last row, if any.
        public let first, last: Item.Step?
        /// The reason why some or all of the rows could not be read; otherwise nil.
        public let refusal: String?

        /// Creates the properties of the rows below an item.
        ///
        /// - Parameter refusal: the reason why some or all of the rows could not be read; otherwise nil.
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
    /// Another record that the record refers to.
    public struct Link: Sendable, Equatable {
        /// The names of the columns that refer to the other record, joined by commas.
        public let name: String
        public let title: [UInt8]
        /// The keys of the path to the other record.
        public let path: [[UInt8]]

        public init(name: String, title: [UInt8], path: [[UInt8]]) {
            (self.name, self.title, self.path) = (name, title, path)
        }
    }

    /// The keys of the shortest path to the record; nil without a path.
    public let canonical: [[UInt8]]?
    /// The records that the record refers to.
    public let references: [Link]

    public init(canonical: [[UInt8]]?, references: [Link]) {
        (self.canonical, self.references) = (canonical, references)
    }
}

/// The records to which the rows of a page refer.
public struct RowReferences: Sendable {
    /// The records. Several rows may refer to one of them.
    public private(set) var links: [RecordLinks.Link] = []
    private var numbers: [Int32] = []
    /// The index in `numbers` at which the references of each row begin. Rows after these have no references.
    private var starts: [Int] = []

    public init() {}

    /// Adds a record, and returns its number.
    public mutating func add(_ link: RecordLinks.Link) -> Int {
        links.append(link)
        return links.count - 1
    }

    /// Notes that a row refers to a record. Rows come in ascending order.
    ///
    /// - Parameter number: the number of the record.
    public mutating func note(_ number: Int, ofRow row: Int) {
        while starts.count <= row { starts.append(numbers.count) }
        numbers.append(Int32(number))
    }

    /// The numbers of the records to which a row refers.
    public func numbers(ofRow row: Int) -> ArraySlice<Int32> {
        guard starts.indices.contains(row) else { return [] }
        return numbers[starts[row]..<(row + 1 < starts.count ? starts[row + 1] : numbers.count)]
    }

    /// The records to which a row refers.
    public func links(ofRow row: Int) -> [RecordLinks.Link] { numbers(ofRow: row).map { links[Int($0)] } }
}
