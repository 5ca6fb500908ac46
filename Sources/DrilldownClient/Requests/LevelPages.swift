/// A sequence of the pages of a level, returned by ``Server/pages(at:matching:)``.
///
/// Each page is loaded when it is requested.
public struct LevelPages: AsyncSequence, Sendable {
    /// A page: a level that contains the rows of the page and the position of the first row.
    public typealias Element = Level

    let transport: Transport
    let path: ItemPath
    let query: LevelQuery

    /// Returns an iterator that begins with the first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(transport: transport, path: path, next: path.levelLink + query.encoded)
    }

    /// An iterator that loads one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let transport: Transport
        let path: ItemPath
        var next: String?

        /// Returns the next page; nil after the last page.
        ///
        /// - Throws: `Problem` if the server refuses or cannot be reached, `CancellationError`. You can then call this
        ///   method again to retry.
        public mutating func next() async throws -> Level? { try await next(isolation: nil) }

        /// Returns the next page on the actor of the caller, like `next()`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Level? {
            guard let target = next else { return nil }
            try path.check()
            let page = try await transport.level(of: target)
            guard page.next != target else {
                throw Problem.unreadable(
                    target, "\(transport.address) answered \(target) with a page whose next page is itself.")
            }
            next = page.next
            return page
        }
    }
}

/// A sequence of all rows of a level, returned by ``Server/rows(at:matching:)``.
///
/// The rows are loaded page by page.
public struct LevelRows: AsyncSequence, Sendable {
    /// A row of the level.
    public typealias Element = Row

    /// The pages that contain the rows.
    public let pages: LevelPages

    /// Returns an iterator that begins with the first row.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// An iterator that returns the rows of one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: LevelPages.Iterator
        var rows: [Row] = []
        var position = 0

        /// Returns the next row; nil after the last row.
        ///
        /// - Throws: the errors of `LevelPages.Iterator.next()`.
        public mutating func next() async throws -> Row? { try await next(isolation: nil) }

        /// Returns the next row on the actor of the caller, which the loop leaves only to load a page.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Row? {
            while position == rows.count {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                rows = page.rows
                position = 0
            }
            defer { position += 1 }
            return rows[position]
        }
    }
}
