/// The place of an item: the keys of the items from the root down to it.
///
/// A key is text as a person reads it. Only the library percent-encodes it.
///
/// ```swift
/// let path: ItemPath = ["Item 4", "Screen G"]
/// print(path)                     // /Item%204/Screen%20G
/// print(path.parent == ["Item 4"])  // Optional(true)
/// ```
public struct ItemPath: Hashable, Sendable {
    /// The keys from the root down; empty for the root.
    public let keys: [String]

    /// The path of the item with these keys.
    public init(_ keys: some Sequence<String>) {
        self.keys = Array(keys)
    }

    /// The path of the root, whose level is the first one.
    public static let root = ItemPath([])

    /// Whether this is the path of the root.
    public var isRoot: Bool { keys.isEmpty }

    /// How many levels the item is below the root, whose depth is 0.
    public var depth: Int { keys.count }

    /// The key of the item itself; nil for the root.
    public var lastKey: String? { keys.last }

    /// The path of the item above; nil for the root.
    public var parent: ItemPath? { isRoot ? nil : ItemPath(keys.dropLast()) }

    /// The path of a child of this item.
    public func appending(_ key: String) -> ItemPath { ItemPath(keys + [key]) }

    /// The path of an item below this one.
    public func appending(_ path: ItemPath) -> ItemPath { ItemPath(keys + path.keys) }

    /// The path of a child: `path / "Screen G"`.
    public static func / (path: ItemPath, key: String) -> ItemPath { path.appending(key) }

    /// Whether this path leads to the item itself or to an item below it.
    public func starts(with path: ItemPath) -> Bool { keys.starts(with: path.keys) }
}

extension ItemPath: ExpressibleByArrayLiteral {
    /// The path of the item with these keys: `["Item 4", "Screen G"]`.
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
