/// All rows of a level, however many there are; further pages are loaded when their rows are asked for.
///
/// ```swift
/// for try await row in server.rows(at: ["Tracks"]) { print(row.title) }
/// ```
public struct LevelRows: AsyncSequence, Sendable {
    /// A row of the level.
    public typealias Element = Row

    /// The pages that the rows are on.
    public let pages: LevelPages

    /// An iterator that begins with the first row.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Goes through the rows of one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: LevelPages.Iterator
        var rows: [Row] = []
        var position = 0

        /// The next row; nil after the last one.
        ///
        /// - Throws: what `LevelPages.Iterator.next()` throws; the row can be asked for again then.
        public mutating func next() async throws -> Row? {
            while position == rows.count {
                guard let page = try await pages.next() else { return nil }
                rows = page.rows
                position = 0
            }
            defer { position += 1 }
            return rows[position]
        }
    }
}
