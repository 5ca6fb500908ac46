import Bytes
import HTTPFields

/// What a request's `Accept-Encoding` says (RFC 9110, section 12.5.3), read where it lies.
///
/// Codings that there are not are passed over. A malformed field counts as none.
public struct AcceptedCodings: Sendable {
    /// Qualities in thousandths; `unnamed` where the field does not name the coding.
    private var gzip = unnamed
    private var brotli = unnamed
    private var identity = unnamed
    private var any = unnamed
    private var isMalformed = false

    private static let unnamed = -1

    public init() {}

    /// Reads one line of the field; several lines are one list.
    public mutating func read(_ line: Span<UInt8>) {
        let isWellFormed = line.forEachWeightedToken { token, quality in note(token, quality) }
        if !isWellFormed { isMalformed = true }
    }

    /// The best coding; nil where the client takes none of those there are, nor a body as it is.
    ///
    /// Of codings liked equally Brotli comes first, for it makes the smallest bodies. A body as it is comes last, and
    /// is liked less than whatever is named, unless it is named itself: it is always admitted where nothing speaks
    /// against it.
    public var choice: CodingChoice? {
        if isMalformed { return .identity }
        let plain = identity != Self.unnamed ? identity : any
        let others = max(any, 0)
        let brotli = self.brotli != Self.unnamed ? self.brotli : others
        let gzip = self.gzip != Self.unnamed ? self.gzip : others
        if brotli > 0, brotli >= gzip, brotli >= plain { return CodingChoice(.brotli, admitsIdentity: plain != 0) }
        if gzip > 0, gzip >= plain { return CodingChoice(.gzip, admitsIdentity: plain != 0) }
        return plain == 0 ? nil : .identity
    }

    /// Of a coding that is named twice the greater quality counts.
    private mutating func note(_ token: Span<UInt8>, _ quality: Int) {
        switch token.count {
        case 1 where token[0] == UInt8(ascii: "*"): any = max(any, quality)
        case 2 where token.isEqual(ignoringCase: "br"): brotli = max(brotli, quality)
        case 4 where token.isEqual(ignoringCase: "gzip"): gzip = max(gzip, quality)
        // RFC 9110, section 8.4.1.3: the older name.
        case 6 where token.isEqual(ignoringCase: "x-gzip"): gzip = max(gzip, quality)
        case 8 where token.isEqual(ignoringCase: "identity"): identity = max(identity, quality)
        default: break
        }
    }
}
