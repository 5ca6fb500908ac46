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
        var place = 0
        while true {
            while place < line.count, Self.isSpace(line[place]) || line[place] == UInt8(ascii: ",") { place += 1 }
            guard place < line.count else { return }
            guard let end = readElement(of: line, from: place) else {
                isMalformed = true
                return
            }
            place = end
        }
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

    /// `token [ OWS ";" OWS "q=" qvalue ]`; gives where the element ends, nil where it is none.
    private mutating func readElement(of line: Span<UInt8>, from start: Int) -> Int? {
        var place = start
        while place < line.count, Self.isTokenByte(line[place]) { place += 1 }
        let token = start..<place
        guard !token.isEmpty else { return nil }
        place = Self.afterSpace(in: line, from: place)
        var quality = 1_000
        if place < line.count, line[place] == UInt8(ascii: ";") {
            guard let weight = Self.weight(of: line, from: place + 1) else { return nil }
            quality = weight.quality
            place = Self.afterSpace(in: line, from: weight.end)
        }
        guard place == line.count || line[place] == UInt8(ascii: ",") else { return nil }
        note(line.extracting(token), quality)
        return place
    }

    /// Of a coding that is named twice the greater quality counts.
    private mutating func note(_ token: Span<UInt8>, _ quality: Int) {
        switch token.count {
        case 1 where token[0] == UInt8(ascii: "*"): any = max(any, quality)
        case 2 where Self.isEqual(token, "br"): brotli = max(brotli, quality)
        case 4 where Self.isEqual(token, "gzip"): gzip = max(gzip, quality)
        // RFC 9110, section 8.4.1.3: the older name.
        case 6 where Self.isEqual(token, "x-gzip"): gzip = max(gzip, quality)
        case 8 where Self.isEqual(token, "identity"): identity = max(identity, quality)
        default: break
        }
    }

    /// `OWS "q=" qvalue`: 0 or 1, with up to three decimals, in thousandths.
    private static func weight(of line: Span<UInt8>, from start: Int) -> (quality: Int, end: Int)? {
        var place = afterSpace(in: line, from: start)
        guard place + 2 < line.count, line[place] | 0x20 == UInt8(ascii: "q"), line[place + 1] == UInt8(ascii: "="),
            let whole = digit(line[place + 2]), whole <= 1
        else { return nil }
        place += 3
        var quality = whole * 1_000
        if place < line.count, line[place] == UInt8(ascii: ".") {
            place += 1
            var worth = 100
            while worth > 0, place < line.count, let digit = digit(line[place]) {
                quality += digit * worth
                worth /= 10
                place += 1
            }
        }
        return quality <= 1_000 ? (quality, place) : nil
    }

    private static func digit(_ byte: UInt8) -> Int? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? Int(digit) : nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func afterSpace(in line: Span<UInt8>, from start: Int) -> Int {
        var place = start
        while place < line.count, isSpace(line[place]) { place += 1 }
        return place
    }

    /// `tchar` of RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Compares with a name in lower case, where the token may be in any case.
    private static func isEqual(_ token: Span<UInt8>, _ lowercased: StaticString) -> Bool {
        for index in 0..<lowercased.utf8CodeUnitCount {
            let byte = token[index]
            let letter = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            if unsafe letter != lowercased.utf8Start[index] { return false }
        }
        return true
    }
}
