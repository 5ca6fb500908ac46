/// The content coding that a client prefers among the supported ones.
public struct CodingChoice: Equatable, Sendable {
    /// The preferred coding.
    public let coding: ContentCoding
    /// Whether the client also accepts an unencoded body; if so, short bodies are not encoded.
    public let admitsIdentity: Bool

    /// The choice of a coding for bodies that are long enough.
    public init(_ coding: ContentCoding, admitsIdentity: Bool) {
        self.coding = coding
        self.admitsIdentity = admitsIdentity
    }

    /// The choice for a client that does not state a preference.
    public static let identity = CodingChoice(.identity, admitsIdentity: true)

    /// Shorter bodies, in bytes, are encoded only if the client does not accept them unencoded.
    ///
    /// A body of 1 KiB and its header lines fit into one Ethernet frame, so encoding a shorter one saves no time.
    public static let leastBytes = 1_024

    /// Returns the coding for a body of this many bytes.
    ///
    /// The result depends on nothing else, so the entity tag is known before the body is encoded.
    @inline(__always)
    public func coding(ofBytes count: Int) -> ContentCoding {
        admitsIdentity && count < Self.leastBytes ? .identity : coding
    }
}
