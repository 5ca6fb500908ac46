public import Foundation

extension Server {
    /// Requests a level with its rows; if the level has more than 1,000 rows, with the first 1,000 rows.
    ///
    /// `limited(to:)` in the query changes this limit, up to 10,000. To read all rows of a longer level, use
    /// `wholeLevel(at:matching:)`, or `rows(at:matching:)` to get one row after the other.
    ///
    /// ```swift
    /// let level = try await server.level(at: ["Item 4"], matching: .sorted(by: "Title"))
    /// ```
    ///
    /// - Throws: `Problem` if the server refuses or cannot be reached, `CancellationError`.
    public func level(at path: ItemPath = .root, matching query: LevelQuery = .all) async throws -> Level {
        try path.check()
        return try await transport.level(of: path.levelLink + query.encoded)
    }

    /// Requests the detail of an item: all its fields, its ancestors and its neighbours.
    ///
    /// ```swift
    /// let detail = try await server.detail(at: ["Item 4", "Screen G"])
    /// print(detail.fields["Text"]?.text ?? "")
    /// ```
    ///
    /// - Throws: `Problem` if the server refuses or cannot be reached, `CancellationError`.
    public func detail(at path: ItemPath) async throws -> Detail { try await transport.detail(at: path) }

    /// Requests a level with all its rows, however many. All rows are of the same revision of the document.
    ///
    /// `rows(at:matching:)` needs less memory, and returns the first rows earlier.
    ///
    /// - Parameters:
    ///   - path: the path of the item whose level is requested.
    ///   - query: the options of the request; a limit and a start are ignored.
    /// - Throws: `Problem` if the server refuses or cannot be reached, `CancellationError`.
    public func wholeLevel(at path: ItemPath = .root, matching query: LevelQuery = .all) async throws -> Level {
        let target = LevelTarget(path: path, query: query.withoutPage)
        var poller = LevelPoller(transport: transport, target: target)
        guard let level = try await poller.next(.none, over: nil) else { throw Problem.unexpectedAnswer(target) }
        return level
    }

    /// Returns a sequence of all rows of a level, however many. A page is loaded when its first row is requested.
    ///
    /// ```swift
    /// for try await row in server.rows(at: ["Tracks"]) { print(row.title) }
    /// ```
    ///
    /// If rows are inserted or deleted meanwhile, no other row is skipped or repeated.
    public func rows(at path: ItemPath = .root, matching query: LevelQuery = .all) -> LevelRows {
        LevelRows(pages: pages(at: path, matching: query))
    }

    /// Returns a sequence of the pages of a level.
    ///
    /// A page has at most 1,000 rows; `limited(to:)` in the query changes this number.
    ///
    /// ```swift
    /// for try await page in server.pages(at: ["Tracks"], matching: .limited(to: 500)) {
    ///     print("\(page.start + page.rows.count) of \(page.count)")
    /// }
    /// ```
    public func pages(at path: ItemPath = .root, matching query: LevelQuery = .all) -> LevelPages {
        LevelPages(transport: transport, path: path, query: query)
    }

    /// Observes a level: returns the current level, then each change, until the task is cancelled.
    ///
    /// All rows of the level are observed, unless the query has a limit or a start. The first update may lack a level;
    /// its `interruption` is then the reason why the server cannot be reached.
    ///
    /// ```swift
    /// for try await update in server.updates(of: ["Item 4"], matching: .sorted(by: "Title")) {
    ///     if let level = update.level { show(level, update.difference) }
    /// }
    /// ```
    public func updates(of path: ItemPath = .root, matching query: LevelQuery = .all) -> LevelUpdates {
        LevelUpdates(observations: observations, target: LevelTarget(path: path, query: query))
    }

    /// Observes a detail: returns the current detail, then each change, until the task is cancelled.
    ///
    /// ```swift
    /// for try await update in server.updates(ofDetail: row.path) {
    ///     if let detail = update.detail { show(detail.fields) }
    /// }
    /// ```
    public func updates(ofDetail path: ItemPath) -> DetailUpdates {
        DetailUpdates(observations: observations, target: DetailTarget(path: path))
    }

    /// Ends all pauses, and requests all observed levels and details again immediately.
    ///
    /// Call it when the app becomes active again.
    public func retryNow() { observations.retryNow() }
}

// Images and documents.
extension Server {
    /// Requests the bytes of an image that an item names in a field such as `Image`.
    ///
    /// ```swift
    /// if let name = detail["Image"]?.text { let data = try await server.imageData(named: name) }
    /// ```
    ///
    /// - Parameter name: the name of a file in the document's `assets` folder, or an `http` or `https` URL.
    /// - Throws: `Problem`, `CancellationError`.
    public func imageData(named name: String) async throws -> Data {
        if let url = Self.absoluteURL(name) { return try await file(url) }
        return try await data(of: Self.assetLink(name))
    }

    /// Requests the bytes of a row's image; returns nil for a row without an image.
    ///
    /// - Throws: `Problem`, `CancellationError`.
    public func imageData(for row: Row) async throws -> Data? {
        guard let name = row.imageName else { return nil }
        return try await imageData(named: name)
    }

    /// Returns the URL of an image that an item names, for code that loads images itself, such as `AsyncImage`.
    ///
    /// The URL does not contain a token. If the server needs a token for reading, use `imageData(named:)` instead.
    ///
    /// - Parameter name: the name of a file in the document's `assets` folder, or an `http` or `https` URL.
    /// - Returns: the URL; nil if no file can have this name.
    public func imageURL(named name: String) -> URL? {
        if let url = Self.absoluteURL(name) { return url }
        do { return configuration.url(of: try Self.assetLink(name)) } catch { return nil }
    }

    /// Requests the whole document, or its part from an item down, as the content of a file.
    ///
    /// - Throws: `Problem`, `CancellationError`.
    public func document(at path: ItemPath = .root, as format: DocumentFormat = .xml) async throws -> Data {
        try path.check()
        return try await data(of: path.documentLink + "?format=" + format.rawValue)
    }

    /// The formats of a document.
    public enum DocumentFormat: String, Hashable, Sendable, CaseIterable {
        /// An XML property list.
        case xml
        /// A binary property list.
        case binary
        /// JSON with the same structure as the property list; dates and data are texts.
        case json
    }

    /// Requests a target and returns the bytes of the answer; if the answer has not changed, the remembered bytes.
    private func data(of target: String) async throws -> Data {
        try await transport.value(of: Request(target)) { answer in
            guard answer.status == 200 else {
                throw Problem.unreadable(answer, from: transport.address, reason: "its status is \(answer.status)")
            }
            return answer.body
        }
    }

    /// Requests a file of any server, without a token.
    private func file(_ url: URL) async throws -> Data {
        var request = Request(url.absoluteString)
        request.url = url
        return try await transport.send(request).body
    }

    private static func absoluteURL(_ name: String) -> URL? {
        let start = name.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://") ? URL(string: name) : nil
    }

    private static func assetLink(_ name: String) throws(Problem) -> String {
        let segments = name.split(separator: "/").map(String.init)
        if segments.isEmpty { throw .impossibleKey(name) }
        for segment in segments where ItemPath.isImpossible(segment) { throw .impossibleKey(segment) }
        return "/assets/" + segments.map(PercentEncoding.encode).joined(separator: "/")
    }
}
