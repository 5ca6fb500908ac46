public import Foundation

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

    /// The bytes of an image that an item names in a field such as `Image`.
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

    /// The bytes of a row's image; nil if the row has none.
    ///
    /// - Throws: `Problem`, `CancellationError`.
    public func imageData(for row: Row) async throws -> Data? {
        guard let name = row.imageName else { return nil }
        return try await imageData(named: name)
    }

    /// The URL of an image that an item names, for code that loads images itself, such as `AsyncImage`.
    ///
    /// The URL does not carry a token. A server that needs one for reading answers such code with 401: use
    /// `imageData(named:)` instead.
    ///
    /// - Parameter name: the name of a file in the document's `assets` folder, or an `http` or `https` URL.
    /// - Returns: nil if no file can have this name.
    public func imageURL(named name: String) -> URL? {
        if let url = Self.absoluteURL(name) { return url }
        do { return configuration.url(of: try Self.assetLink(name)) } catch { return nil }
    }

    /// The document, or the part of it from an item down, as a file.
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
        /// JSON of the same shape, in which dates and data are texts.
        case json
    }

    /// The bytes of an answer, remembered by its tag.
    private func data(of target: String) async throws -> Data {
        try await value(of: Request(target)) { answer in
            guard answer.status == 200 else {
                throw Problem.unreadable(answer, from: address, "its status is \(answer.status)")
            }
            return answer.body
        }
    }

    /// A file from anywhere, asked for without a token.
    private func file(_ url: URL) async throws -> Data {
        var request = Request(url.absoluteString)
        request.url = url
        return try await send(request).body
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
