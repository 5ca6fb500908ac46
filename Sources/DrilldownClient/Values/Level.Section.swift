extension Level {
    /// A section of a level: a run of its rows, with a title.
    public struct Section: Hashable, Sendable {
        /// The title that is shown above the rows; nil for none.
        public var title: String?
        /// The text in the index at the side of a table; nil for none.
        public var index: String?
        /// The position of the section's first row on the level.
        public var start: Int
        /// The number of its rows.
        public var count: Int
        /// The text below the rows; nil for none.
        public var footer: String?

        /// A section with these values.
        public init(title: String? = nil, index: String? = nil, start: Int, count: Int, footer: String? = nil) {
            self.title = title
            self.index = index
            self.start = start
            self.count = count
            self.footer = footer
        }

        /// The positions of the section's rows on the level; none if `start` and `count` are not a range of positions.
        public var range: Range<Int> {
            let (end, overflow) = start.addingReportingOverflow(count)
            return count >= 0 && !overflow ? start..<end : start..<start
        }
    }

    /// An item above a level or a detail.
    public struct Ancestor: Hashable, Sendable {
        /// The title of the item.
        public var title: String
        /// The path of the item.
        public var path: ItemPath

        /// An ancestor with these values.
        public init(title: String, path: ItemPath) {
            self.title = title
            self.path = path
        }
    }
}
