/// The coding that a client likes best of those there are.
public struct CodingChoice: Equatable, Sendable {
    public let coding: ContentCoding
    /// Whether the client takes a body as it is too, so that a coding is only used where it is worth it.
    public let admitsIdentity: Bool

    public init(_ coding: ContentCoding, admitsIdentity: Bool) {
        self.coding = coding
        self.admitsIdentity = admitsIdentity
    }

    /// What a client gets that asks for nothing.
    public static let identity = CodingChoice(.identity, admitsIdentity: true)

    /// Bodies shorter than this are coded only where they must be.
    ///
    /// A body of 1 KiB and its header lines fit into one Ethernet frame: a shorter one would reach nobody sooner.
    public static let leastBytes = 1_024

    /// The coding of a body of so many bytes.
    ///
    /// It depends on nothing else, so an entity tag is known before the body is coded.
    @inline(__always)
    public func coding(ofBytes count: Int) -> ContentCoding {
        admitsIdentity && count < Self.leastBytes ? .identity : coding
    }
}
