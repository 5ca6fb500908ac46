extension Server {
    /// A level: its rows, or the first 1,000 of them.
    ///
    /// `wholeLevel(at:matching:)` gives a longer level with all its rows, `rows(at:matching:)` one row after the other, and
    /// `limited(to:)` in the query sets another limit, up to 10,000.
    ///
    /// ```swift
    /// let level = try await server.level(at: ["Item 4"], matching: .sorted(by: "Title"))
    /// ```
    ///
    /// - Throws: `Problem` for what the server refuses and for what keeps the request from being answered;
    ///   `CancellationError`.
    public func level(at path: ItemPath = .root, matching query: LevelQuery = .all) async throws -> Level {
        try path.check()
        return try await level(of: path.levelLink + query.encoded)
    }

    /// The detail of an item: all its fields, and what is around it.
    ///
    /// ```swift
    /// let detail = try await server.detail(at: ["Item 4", "Screen G"])
    /// print(detail.fields["Text"]?.text ?? "")
    /// ```
    ///
    /// - Throws: `Problem` for what the server refuses and for what keeps the request from being answered;
    ///   `CancellationError`.
    public func detail(at path: ItemPath) async throws -> Detail {
        try path.check()
        return try await value(of: path.detailLink, as: DetailReader.read)
    }

    /// The level that a target with its query asks for.
    func level(of target: String) async throws -> Level {
        try await value(of: target) { bytes throws(JSONError) in
            switch try LevelReader.read(bytes) {
            case .level(var level):
                // An edit compares the version of the level without a query.
                if !target.contains("?") { level.itemVersion = ItemVersion(rawValue: level.version) }
                return level
            case .delta: throw JSONError("it tells changes that were not asked for", at: 0)
            }
        }
    }
}
