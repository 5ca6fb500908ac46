extension Server {
    /// All rows of a level, however many there are.
    ///
    /// ```swift
    /// for try await row in server.rows(at: ["Tracks"]) { print(row.title) }
    /// ```
    ///
    /// Rows that are inserted or deleted meanwhile neither shift the others nor repeat them.
    public func rows(at path: ItemPath, matching query: LevelQuery = .all) -> LevelRows {
        LevelRows(pages: pages(at: path, matching: query))
    }

    /// The pages of a level; `limited(to:)` in the query tells how many rows each has, 1,000 by default.
    public func pages(at path: ItemPath, matching query: LevelQuery = .all) -> LevelPages {
        LevelPages(server: self, first: path.levelLink + query.encoded)
    }
}
