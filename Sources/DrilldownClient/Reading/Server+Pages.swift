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

    /// A level with all its rows, however many there are, of one revision of the document.
    ///
    /// `rows(at:matching:)` needs less memory, and gives the first rows earlier.
    ///
    /// - Parameters:
    ///   - path: the item whose level it is.
    ///   - query: what is asked of the level, without a limit or a start.
    /// - Throws: `Problem` for what the server refuses and for what keeps the request from being answered;
    ///   `CancellationError`.
    public func wholeLevel(at path: ItemPath = .root, matching query: LevelQuery = .all) async throws -> Level {
        let query = ["limit", "start", "after"].reduce(query) { $0.removing($1) }
        let target = LevelTarget(path: path, query: query)
        var poller = LevelPoller(self, target)
        guard let level = try await poller.next(wait: false)?.copy.level else { throw Problem.unexpectedAnswer(target) }
        return level
    }

    /// The pages of a level; `limited(to:)` in the query tells how many rows each has, 1,000 by default.
    public func pages(at path: ItemPath = .root, matching query: LevelQuery = .all) -> LevelPages {
        LevelPages(server: self, path: path, query: query)
    }
}
