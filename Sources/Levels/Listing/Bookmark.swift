/// A place between two rows of a listing, which is found again after rows have come, gone and changed.
public struct Bookmark: Equatable, Sendable {
    /// The position of the row after the place when the bookmark was made.
    public let position: Int
    /// The hashes of the keys of the rows before the place (`Listing.keyHash`), the nearest first; in a sorted listing
    /// only of those that are sorted by the same.
    public let keyHashes: [UInt64]
    /// The first bytes of what the row before the place is sorted by; nil if the rows are not sorted.
    public let orderKey: [UInt8]?
    /// If the rows are grouped by a field, the hashes that tell the section of the row before the place, and the
    /// sections before that one, the nearest first.
    public let sectionMarks: [UInt64]

    /// How much it remembers at most.
    public let room: Room

    /// How much a bookmark remembers at most.
    public struct Room: Equatable, Sendable {
        /// The number of rows, and of sections; at least 1.
        public let rows: Int
        /// The length of `orderKey`, at least 1; rows that differ only in what follows are told apart by their keys.
        public let keyBytes: Int

        /// A bookmark that stands alone.
        public static let whole = Room(rows: 8, keyBytes: 240)
    }

    /// Whether no row is before the place among those that are sorted by the same, apart from the remembered ones.
    var remembersAll: Bool {
        let isAmongAll = orderKey == nil && sectionMarks.isEmpty
        return isAmongAll ? position <= keyHashes.count : keyHashes.count < room.rows
    }

    /// Creates a bookmark from its parts.
    public init(
        position: Int, keyHashes: [UInt64], orderKey: [UInt8]? = nil, sectionMarks: [UInt64] = [], room: Room = .whole
    ) {
        self.position = position
        self.keyHashes = keyHashes
        self.orderKey = orderKey
        self.sectionMarks = sectionMarks
        self.room = room
    }
}
