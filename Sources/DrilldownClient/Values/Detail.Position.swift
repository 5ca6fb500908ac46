extension Detail {
    /// The place of an item among its siblings.
    public struct Position: Hashable, Sendable {
        /// The position on the level, from 0.
        public var index: Int
        /// The number of rows of the level.
        public var count: Int
        /// The number of the section, from 0.
        public var section: Int

        /// A position with these values.
        public init(index: Int, count: Int, section: Int = 0) {
            self.index = index
            self.count = count
            self.section = section
        }

        /// Whether the item is the first of the level.
        public var isFirst: Bool { index == 0 }
        /// Whether the item is the last of the level.
        public var isLast: Bool { index == count - 1 }
    }
}
