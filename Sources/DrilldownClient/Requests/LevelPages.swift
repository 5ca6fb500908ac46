extension Server {
    /// All rows of a level, however many there are.
    ///
    /// ```swift
    /// for try await row in server.rows(at: ["Tracks"]) { print(row.title) }
    /// ```
    ///
    /// Rows that are inserted or deleted meanwhile neither shift the others nor repeat them.
    public func rows(at path: ItemPath = .root, matching query: LevelQuery = .all) -> LevelRows {
        LevelRows(pages: pages(at: path, matching: query))
    }

    /// The pages of a level; `limited(to:)` in the query tells how many rows each has, 1,000 by default.
    public func pages(at path: ItemPath = .root, matching query: LevelQuery = .all) -> LevelPages {
        LevelPages(server: self, path: path, query: query)
    }
}

/// The pages of a level, each loaded when it is asked for.
///
/// ```swift
/// for try await page in server.pages(at: ["Tracks"], matching: .limited(to: 500)) {
///     print("\(page.start + page.rows.count) of \(page.count)")
/// }
/// ```
public struct LevelPages: AsyncSequence, Sendable {
    /// A page: its rows, and where it begins.
    public typealias Element = Level

    let server: Server
    let path: ItemPath
    let query: LevelQuery

    /// An iterator that begins with the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(server: server, path: path, next: path.levelLink + query.encoded)
    }

    /// Loads one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let server: Server
        let path: ItemPath
        var next: String?

        /// The next page; nil after the last one.
        ///
        /// - Throws: `Problem` for what the server refuses and for what keeps the request from being answered;
        ///   `CancellationError`. The same page can be asked for again then.
        public mutating func next() async throws -> Level? {
            guard let target = next else { return nil }
            try path.check()
            let page = try await server.level(of: target)
            guard page.next != target else {
                throw Problem.unreadable(
                    target, "\(server.address) answered \(target) with a page whose next page is itself.")
            }
            next = page.next
            return page
        }
    }
}

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
