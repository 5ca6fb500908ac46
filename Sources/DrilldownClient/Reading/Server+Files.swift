public import Foundation

extension Server {
    /// The bytes of an image that an item names, in a field such as `Image`.
    ///
    /// ```swift
    /// if let name = row.imageName { let data = try await server.image(named: name) }
    /// ```
    ///
    /// - Parameter name: the name of a file in the document's `assets` folder, or an `http` or `https` URL.
    /// - Throws: `Problem`, `CancellationError`.
    public func image(named name: String) async throws -> Data {
        if let url = Self.absoluteURL(name) { return try await file(url) }
        return try await data(of: Self.assetLink(name))
    }

    /// The URL of an image that an item names, for what loads images by itself.
    ///
    /// - Parameter name: the name of a file in the document's `assets` folder, or an `http` or `https` URL.
    public func imageURL(named name: String) -> URL? {
        Self.absoluteURL(name) ?? configuration.url(of: Self.assetLink(name))
    }

    /// The document, or the part of it from an item down, as a file.
    ///
    /// - Throws: `Problem`, `CancellationError`.
    public func document(at path: ItemPath = .root, as format: DocumentFormat = .xml) async throws -> Data {
        try await data(of: path.documentLink + "?format=" + format.rawValue)
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
        var request = Request(target)
        let known = memory[target]
        let remembered = known?.value as? Data
        if let known, remembered != nil { request.header["If-None-Match"] = known.tag }
        let answer = try await send(request)
        if answer.status == 304, let remembered { return remembered }
        guard answer.status == 200 else {
            throw Problem.unreadable(answer, from: address, "its status is \(answer.status)")
        }
        if let tag = answer.entityTag {
            memory.remember(.init(tag: tag, value: answer.body, cost: answer.body.count + 256), for: target)
        }
        return answer.body
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

    private static func assetLink(_ name: String) -> String {
        "/assets/" + name.split(separator: "/").map { PercentEncoding.encode(String($0)) }.joined(separator: "/")
    }
}
