extension Listing {
    /// What steps made of a level's rows: kept apart from the level, it serves every level with the same content.
    public struct Arranged: Sendable {
        let rows: Rows
        let sections: ListingSections.Storage?
        let extras: Extras
        let known: KnownOrder?

        /// The approximate memory use, in bytes.
        public var cost: Int {
            let count =
                switch rows {
                case .numbers(let numbers): numbers.count
                case .items(let items): items.numbers.count
                case .level, .places, .part: 0
                }
            return 256 + count * 4 + (known?.sectionMarks.count ?? 0) * 8 + (sections?.cost ?? 0)
        }
    }

    /// The arrangement; nil for a level that nothing was done to, and for rows that have places in several levels.
    public var arranged: Arranged? {
        switch rows {
        case .numbers, .items: Arranged(rows: rows, sections: ownSections, extras: extras, known: known)
        case .level, .places, .part: nil
        }
    }

    /// Creates the listing of a level whose arrangement is known.
    public init(_ level: Level, as arranged: Arranged) {
        self.init(level, arranged.rows, sections: arranged.sections, extras: arranged.extras, known: arranged.known)
    }
}
