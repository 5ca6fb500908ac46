import Bytes
import HTTPFields

/// The content codings that a request's `Accept-Encoding` accepts (RFC 9110, section 12.5.3), parsed in place.
///
/// Unknown codings are ignored. A malformed field counts as absent.
public struct AcceptedCodings: Sendable {
    /// Qualities in thousandths; `unnamed` if the field does not name the coding.
    private var gzip = unnamed
    private var brotli = unnamed
    private var identity = unnamed
    private var any = unnamed
    private var isMalformed = false

    private static let unnamed = -1

    /// Creates the codings of a request without the field. `read` adds the lines of the field.
    public init() {}

    /// Reads one line of the field. Several lines count as one list.
    public mutating func read(_ line: Span<UInt8>) {
        let isWellFormed = line.forEachWeightedToken { token, quality in note(token, quality: quality) }
        if !isWellFormed { isMalformed = true }
    }

    /// The best coding; nil if the client accepts neither a supported coding nor an unencoded body.
    ///
    /// Among codings of equal quality, Brotli comes first, because its bodies are the smallest. An unencoded body is
    /// acceptable unless the field excludes it, and comes last unless the field names it.
    public var choice: CodingChoice? {
        if isMalformed { return .identity }
        let plain = identity != Self.unnamed ? identity : any
        let others = max(any, 0)
        let brotli = self.brotli != Self.unnamed ? self.brotli : others
        let gzip = self.gzip != Self.unnamed ? self.gzip : others
        if brotli > 0, brotli >= gzip, brotli >= plain {
            return CodingChoice(coding: .brotli, admitsIdentity: plain != 0)
        }
        if gzip > 0, gzip >= plain { return CodingChoice(coding: .gzip, admitsIdentity: plain != 0) }
        return plain == 0 ? nil : .identity
    }

    /// Notes the quality of a coding. If a coding is named twice, the greater quality counts.
    private mutating func note(_ token: Span<UInt8>, quality: Int) {
        switch token.count {
        case 1 where token[0] == UInt8(ascii: "*"): any = max(any, quality)
        case 2 where token.isEqual(ignoringCase: "br"): brotli = max(brotli, quality)
        case 4 where token.isEqual(ignoringCase: "gzip"): gzip = max(gzip, quality)
        // The older name (RFC 9110, section 8.4.1.3).
        case 6 where token.isEqual(ignoringCase: "x-gzip"): gzip = max(gzip, quality)
        case 8 where token.isEqual(ignoringCase: "identity"): identity = max(identity, quality)
        default: break
        }
    }
}

/// The content coding that a client prefers among the supported ones.
public struct CodingChoice: Equatable, Sendable {
    /// The preferred coding.
    public let coding: ContentCoding
    /// Whether the client also accepts an unencoded body; if so, short bodies are not encoded.
    public let admitsIdentity: Bool

    /// Creates the choice of a coding for bodies that are long enough.
    public init(coding: ContentCoding, admitsIdentity: Bool) {
        self.coding = coding
        self.admitsIdentity = admitsIdentity
    }

    /// The choice for a client that does not state a preference.
    public static let identity = CodingChoice(coding: .identity, admitsIdentity: true)

    /// The length in bytes below which a body is encoded only if the client does not accept an unencoded body.
    ///
    /// A body of 1 KiB and its header lines fit into one Ethernet frame, so encoding a shorter body saves no time.
    public static let leastBytes = 1_024

    /// Returns the coding for a body of this many bytes.
    ///
    /// The result depends only on this number, so the entity tag is known before the body is encoded.
    @inline(__always)
    public func coding(ofBytes count: Int) -> ContentCoding {
        admitsIdentity && count < Self.leastBytes ? .identity : coding
    }
}
