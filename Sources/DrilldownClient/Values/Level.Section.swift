extension Level {
    /// A section of a level: a run of its rows, with a title.
    public struct Section: Identifiable, Sendable {
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

        /// The number of sections with the same title before this one, as the level counts them.
        private(set) var ordinal = 0

        /// The identity of the section on its level: it stays the same if rows come or go.
        public var id: ID { ID(title: title, ordinal: ordinal) }

        /// The identity of a section on its level: its title, and how many sections before it have the same.
        public struct ID: Hashable, Sendable {
            let title: String?
            let ordinal: Int
        }

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

        /// Gives each section its ordinal.
        static func number(_ sections: inout [Section]) {
            var counts: [String?: Int] = [:]
            for position in sections.indices {
                let title = sections[position].title
                let ordinal = counts[title, default: 0]
                counts[title] = ordinal + 1
                if sections[position].ordinal != ordinal { sections[position].ordinal = ordinal }
            }
        }
    }
}

extension Level.Section: Hashable {
    /// Whether two have the same texts and rows.
    public static func == (left: Self, right: Self) -> Bool {
        left.title == right.title && left.index == right.index && left.start == right.start
            && left.count == right.count && left.footer == right.footer
    }

    /// Adds the texts and the rows to a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(title)
        hasher.combine(index)
        hasher.combine(start)
        hasher.combine(count)
        hasher.combine(footer)
    }
}

extension Int {
    /// The sum, or the number nearest to it that fits.
    func saturatingSum(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }
}
