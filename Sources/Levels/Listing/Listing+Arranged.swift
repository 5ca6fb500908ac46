extension Listing {
    /// What steps made of a level's rows: kept apart from the level, it serves every level with the same content.
    public struct Arranged: Sendable {
        let numbers: [UInt32]
        let sections: [Section]

        /// The approximate memory use, in bytes.
        public var cost: Int { numbers.count * 4 + sections.reduce(256) { $0 + $1.residentBytes } }
    }

    /// The arrangement; nil for a level that nothing was done to, and for rows of several levels.
    public var arranged: Arranged? {
        guard case .numbers(let numbers) = rows else { return nil }
        return Arranged(numbers: numbers, sections: Array(sections))
    }

    /// Creates the listing of a level whose arrangement is known.
    public init(_ level: Level, as arranged: Arranged) {
        self.init(level, numbers: arranged.numbers, sections: arranged.sections)
    }
}
