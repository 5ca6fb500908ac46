extension ItemPath {
    /// The path that a link of the server leads to, such as `/levels/Item%204` or `/detail/Item%204`.
    ///
    /// - Parameter href: a link of a level or a detail, with or without the server's address; a query is ignored.
    /// - Returns: nil if the link leads to something else, or is not percent-encoded UTF-8.
    public init?(href: String) {
        let bytes = href.utf8
        var target = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let route = Self.routes.lazy.compactMap({ Self.end(of: $0, in: target) }).first else { return nil }
        target = target[route...]
        if target.first == UInt8(ascii: "/") { target = target.dropFirst() }
        if target.last == UInt8(ascii: "/") { target = target.dropLast() }
        guard !target.isEmpty else {
            self = .root
            return
        }
        var keys: [String] = []
        for segment in target.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !segment.isEmpty, let key = PercentEncoding.decode(segment) else { return nil }
            keys.append(key)
        }
        self.init(keys)
    }

    /// The link of the item's level: `/levels/Item%204`.
    public var levelLink: String { "/levels/" + encoded }

    /// The link of the item's detail: `/detail/Item%204`.
    public var detailLink: String { "/detail/" + encoded }

    /// The link of the document from the item down: `/document/Item%204`.
    public var documentLink: String { isRoot ? "/document" : "/document/" + encoded }

    /// The keys in canonical form, with a slash between them.
    var encoded: String { keys.lazy.map(PercentEncoding.encode).joined(separator: "/") }

    private static let routes = ["/levels", "/detail", "/browse"]

    /// Where a route ends in a link: at a slash or the end of the link.
    private static func end(of route: String, in target: Substring.UTF8View) -> Substring.UTF8View.Index? {
        var start = target.startIndex
        // An absolute link has its address before the route.
        if let scheme = target.firstIndex(of: UInt8(ascii: ":")), target[scheme...].starts(with: "://".utf8) {
            let host = target.index(scheme, offsetBy: 3)
            guard let path = target[host...].firstIndex(of: UInt8(ascii: "/")) else { return nil }
            start = path
        }
        guard target[start...].starts(with: route.utf8) else { return nil }
        let end = target.index(start, offsetBy: route.utf8.count)
        return end == target.endIndex || target[end] == UInt8(ascii: "/") ? end : nil
    }
}
