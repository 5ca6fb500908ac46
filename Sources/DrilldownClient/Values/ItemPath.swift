import Foundation

/// The path of an item: the keys of the items from the root down to it.
///
/// A key is plain text; the library percent-encodes it in requests.
///
/// ```swift
/// let path: ItemPath = ["Item 4", "Screen G"]
/// print(path)                     // /Item%204/Screen%20G
/// print(path.parent == ["Item 4"])  // Optional(true)
/// ```
public struct ItemPath: Hashable, Sendable {
    /// The keys from the root down; empty for the root.
    public let keys: [String]

    /// Creates the path of the item with these keys.
    public init(_ keys: some Sequence<String>) {
        self.keys = Array(keys)
    }

    /// The path of the root, whose level is the first level.
    public static let root = ItemPath([])

    /// Whether this is the path of the root.
    public var isRoot: Bool { keys.isEmpty }

    /// The number of levels from the root down to the item; 0 for the root.
    public var depth: Int { keys.count }

    /// The key of the item itself; nil for the root.
    public var lastKey: String? { keys.last }

    /// The path of the item above; nil for the root.
    public var parent: ItemPath? { isRoot ? nil : ItemPath(keys.dropLast()) }

    /// Returns the path of a child of this item.
    public func appending(_ key: String) -> ItemPath { ItemPath(keys + [key]) }

    /// Returns the path of an item below this item, from the item's path relative to this item.
    public func appending(_ path: ItemPath) -> ItemPath { ItemPath(keys + path.keys) }

    /// Returns the path of a child: `path / "Screen G"`.
    public static func / (path: ItemPath, key: String) -> ItemPath { path.appending(key) }

    /// Returns whether this path is equal to another path, or leads to an item below the item at the other path.
    public func starts(with path: ItemPath) -> Bool { keys.starts(with: path.keys) }
}

extension ItemPath: ExpressibleByArrayLiteral {
    /// Creates the path of the item with these keys: `["Item 4", "Screen G"]`.
    public init(arrayLiteral keys: String...) { self.init(keys) }
}

extension ItemPath: CustomStringConvertible {
    /// The keys percent-encoded, each after a slash; `/` for the root.
    public var description: String { "/" + encoded }
}

extension ItemPath: Codable {
    /// Reads the list of keys.
    public init(from decoder: any Decoder) throws { try self.init([String](from: decoder)) }

    /// Writes the list of keys.
    public func encode(to encoder: any Encoder) throws { try keys.encode(to: encoder) }
}

extension ItemPath {
    /// Creates a path from a link of the server, such as `/levels/Item%204` or `/detail/Item%204`.
    ///
    /// - Parameter href: a link of a level, a detail or a page of the web client, with or without a scheme, a host and
    ///   the path under which a proxy serves the service; a query is ignored.
    /// - Returns: nil if the link leads to something else, or is not percent-encoded UTF-8.
    public init?(href: String) {
        let bytes = href.utf8
        var target = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let end = Self.endOfRoute(in: target) else { return nil }
        target = target[end...]
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

    /// The link of the part of the document from the item down: `/document/Item%204`.
    public var documentLink: String { isRoot ? "/document" : "/document/" + encoded }

    var encoded: String { keys.lazy.map(PercentEncoding.encode).joined(separator: "/") }

    private static let routes = ["levels", "detail", "browse"]
    /// The first segments of links to something else, below which an item or a file may have the name of a route.
    private static let otherRoutes = ["document", "assets", "client", "problems"]

    /// Returns the position after the route in a link, where a slash follows or the link ends. Returns nil if the link
    /// has another route.
    ///
    /// Only the server's own path may precede the route, and no segment of that path has the name of a route.
    private static func endOfRoute(in target: Substring.UTF8View) -> Substring.UTF8View.Index? {
        var start = target.startIndex
        // In an absolute link, the route follows the scheme and the host.
        if let scheme = target.firstIndex(of: UInt8(ascii: ":")), target[scheme...].starts(with: "://".utf8) {
            let host = target.index(scheme, offsetBy: 3)
            guard let path = target[host...].firstIndex(of: UInt8(ascii: "/")) else { return nil }
            start = path
        }
        guard target[start...].first == UInt8(ascii: "/") else { return nil }
        for segment in target[start...].split(separator: UInt8(ascii: "/")) {
            if routes.contains(where: { segment.elementsEqual($0.utf8) }) { return segment.endIndex }
            if otherRoutes.contains(where: { segment.elementsEqual($0.utf8) }) { return nil }
        }
        return nil
    }

    /// Checks that no key is empty, `.` or `..`. No item has these keys, and in a URL they would lead to another item.
    ///
    /// - Throws: `Problem` of the kind `.badPath`.
    func check() throws(Problem) {
        guard let key = keys.first(where: Self.isImpossible) else { return }
        throw .impossibleKey(key)
    }

    /// Returns whether a key cannot be a segment of a URL: it would be dropped, or would remove the previous segment.
    static func isImpossible(_ key: String) -> Bool { key.isEmpty || key == "." || key == ".." }
}

extension Problem {
    /// Returns the problem of a key that no item can have, or of a name that no file can have.
    static func impossibleKey(_ key: String) -> Problem {
        Problem(
            .badPath, title: "Bad path",
            detail: "A path contains the key '\(key)', which no item can have; nothing was sent.",
            members: ["key": .text(key)])
    }
}

/// A link to an item: its title and its path.
public struct ItemLink: Hashable, Sendable {
    /// The title of the item.
    public var title: String
    /// The path of the item.
    public var path: ItemPath

    /// Creates a link with these values.
    public init(title: String, path: ItemPath) {
        self.title = title
        self.path = path
    }
}

/// Percent-encoding of one segment of a path or one value of a query (RFC 3986, section 2.1).
package enum PercentEncoding {
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// Returns the text with all characters encoded except unreserved ones. Hexadecimal digits are in upper case.
    package static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// Returns the text of an encoded segment; nil if the segment is not percent-encoded UTF-8.
    static func decode(_ segment: Substring.UTF8View) -> String? { String(segment)?.removingPercentEncoding }
}
