/// Paths as the system reads them: a `/` separates two names even if a combining character follows it, with which it
/// would be one `Character`.
extension String {
    /// The names in the path, without the empty ones.
    public var pathNames: [Substring] { unicodeScalars.split(separator: "/").map(Substring.init) }

    /// Whether the path begins with a `/`.
    public var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

    /// The last `/` of the path; nil for a name alone.
    public var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }
}
