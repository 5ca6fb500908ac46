import Bytes
import HTTPServer
import Locking

/// Access tokens, one per line, optionally after a name and a space.
///
/// Blank lines and lines that begin with `#` are skipped.
public struct AccessTokens: Sendable, Equatable {
    /// A line that is not a token. The text of the line is never shown, because it may contain a secret.
    public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// The number of the line, from 1.
        public let line: Int
        /// The fault and its correction, without a final full stop.
        public let description: String
    }

    private(set) var tokens: [AccessToken] = []
    /// The lines that are not tokens.
    public private(set) var faults: [Fault] = []

    /// Reads the tokens in a text. Lines that are not tokens become `faults`.
    public init(_ text: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = text.starts(with: mark) ? text.dropFirst(mark.count) : text[...]
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            do throws(Fault) {
                if let token = try Self.token(in: line, number: index + 1) { tokens.append(token) }
            } catch {
                faults.append(error)
            }
        }
    }

    /// Whether the list of tokens is empty.
    public var isEmpty: Bool { tokens.isEmpty }

    /// The number of tokens.
    public var count: Int { tokens.count }

    /// Returns a list with the tokens and faults of this list and of another.
    public func adding(_ others: AccessTokens) -> AccessTokens {
        var all = self
        all.tokens += others.tokens
        all.faults += others.faults
        return all
    }

    /// The token with the secret that a client presents; nil if the secret is unknown.
    ///
    /// The comparison always covers all tokens, so that its duration reveals nothing about secrets that nearly match.
    func token(_ presented: Span<UInt8>) -> AccessToken? {
        var found: AccessToken?
        for token in tokens where token.matches(presented) { found = found ?? token }
        return found
    }

    private static func token(in line: ArraySlice<UInt8>, number: Int) throws(Fault) -> AccessToken? {
        let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        guard let secret = words.last, words.first?.first != UInt8(ascii: "#") else { return nil }
        guard words.count <= 2 else {
            throw Fault(line: number, description: "it must be a token, or a name, a space and a token")
        }
        guard secret.count >= AccessToken.shortest else {
            throw Fault(
                line: number,
                description: "the token is shorter than \(AccessToken.shortest) characters; make it longer")
        }
        guard secret.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Fault(line: number, description: "the token contains a character that is not visible ASCII")
        }
        guard words.count == 2 else { return AccessToken(name: nil, secret: Array(secret)) }
        return AccessToken(name: try name(words[0], number: number), secret: Array(secret))
    }

    private static func name(_ word: ArraySlice<UInt8>, number: Int) throws(Fault) -> String {
        guard word.count <= longestName, let name = String(validating: word, as: UTF8.self),
            name.unicodeScalars.allSatisfy({ !$0.properties.generalCategory.isControl })
        else {
            throw Fault(
                line: number, description: "the name before the token must be text of at most \(longestName) bytes")
        }
        return name
    }

    private static let longestName = 64
}

extension Unicode.GeneralCategory {
    /// Whether names must not contain characters of this category: controls, format characters, ends of lines, and
    /// unassigned code points.
    fileprivate var isControl: Bool {
        switch self {
        case .control, .format, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// A secret, and the name of its holder.
struct AccessToken: Sendable, Equatable {
    /// The name that the log and `/changes` show.
    let name: String?
    /// Visible ASCII.
    let secret: [UInt8]

    /// The minimum length of a secret, in bytes.
    static let shortest = 16

    /// Whether a client presents the secret of this token.
    ///
    /// The comparison covers every presented byte, even after the first difference. Its duration therefore depends only
    /// on the lengths.
    func matches(_ presented: Span<UInt8>) -> Bool {
        var difference = UInt64(truncatingIfNeeded: secret.count ^ presented.count)
        for index in 0..<presented.count { difference |= UInt64(presented[index] ^ secret[index % secret.count]) }
        return difference == 0
    }
}

/// The token in the `Authorization` field of a request (RFC 6750, section 2.1).
enum BearerCredentials {
    /// The token that a request presents. Nil if the field is missing or repeated, names a scheme other than
    /// `Bearer`, or contains no token.
    static func token(of request: Request) -> [UInt8]? {
        guard request.has(.authorization) else { return nil }
        var token: [UInt8]?
        var lines = 0
        request.forEachLine(of: .authorization) { line in
            lines += 1
            token = read(line)
        }
        return lines == 1 ? token : nil
    }

    /// A sentence of advice if a client sent the name and the token together, like a line of the file. Otherwise empty.
    static func advice(on token: [UInt8]) -> String {
        token.contains(UInt8(ascii: " ")) ? " Send the token alone, without the name before it." : ""
    }

    private static func read(_ line: Span<UInt8>) -> [UInt8]? {
        let end = line.index(of: UInt8(ascii: " "))
        guard end < line.count, line.extracting(0..<end).isEqual(ignoringCase: "bearer") else { return nil }
        var start = end
        while start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        return start < line.count ? Array(copying: line.extracting(start..<line.count)) : nil
    }
}

/// Counts the wrong tokens that come from each address. A burst of wrong tokens is answered with 429.
///
/// Right tokens are never counted or slowed down, so clients behind the same proxy as a guesser can still edit.
final class TokenFailures: Sendable {
    private struct Count {
        var value: Double
        var at: ContinuousClock.Instant
        var isReported = false

        func value(at now: ContinuousClock.Instant) -> Double {
            let (seconds, attoseconds) = (now - at).components
            return max(0, value - (Double(seconds) + Double(attoseconds) / 1e18) * TokenFailures.perSecond)
        }
    }

    private let counts = Guarded<[String: Count]>([:])

    /// The maximum number of wrong tokens in a burst; each further wrong token is answered with 429.
    static let burst = 100.0
    /// The number of wrong tokens that are forgotten per second.
    static let perSecond = 2.0
    /// The maximum number of addresses with a count. When it is reached, the addresses with the lowest counts are
    /// forgotten.
    static let addressLimit = 1_024

    /// Counts one wrong token.
    ///
    /// - Returns: nil if the burst is within its maximum; otherwise the seconds until the client may try again,
    ///   and whether this token is the first one in the burst that is refused with 429.
    func note(_ address: String, at now: ContinuousClock.Instant = .now) -> (seconds: Int, isFirst: Bool)? {
        counts.withLock { counts in
            if counts[address] == nil, counts.count >= Self.addressLimit { Self.thin(&counts, at: now) }
            let before = counts[address]
            let value = (before?.value(at: now) ?? 0) + 1
            guard value > Self.burst else {
                let isReported = before?.isReported == true && value > Self.burst / 2
                counts[address] = Count(value: value, at: now, isReported: isReported)
                return nil
            }
            counts[address] = Count(value: Self.burst, at: now, isReported: true)
            return (Int((1 / Self.perSecond).rounded(.up)), before?.isReported != true)
        }
    }

    /// The number of addresses with a count.
    var count: Int { counts.withLock(\.count) }

    /// Forgets half of the addresses: the half with the lowest counts.
    private static func thin(_ counts: inout [String: Count], at now: ContinuousClock.Instant) {
        let kept = counts.sorted { $0.value.value(at: now) > $1.value.value(at: now) }.prefix(addressLimit / 2)
        counts = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}

/// The tokens for one purpose, which is editing or reading.
public struct TokenAccess: Sendable {
    /// The tokens that are valid now; called for each request.
    public let tokens: @Sendable () -> AccessTokens
    /// Receives the events about the tokens, on any thread.
    public let log: @Sendable (TokenEvent) -> Void

    /// - Parameters:
    ///   - log: receives the events about the tokens, on any thread.
    ///   - tokens: the tokens that are valid now; called for each request.
    public init(
        log: @escaping @Sendable (TokenEvent) -> Void = { _ in }, tokens: @escaping @Sendable () -> AccessTokens
    ) {
        (self.log, self.tokens) = (log, tokens)
    }
}

/// An event about tokens, for logs.
public enum TokenEvent: Sendable, Equatable {
    /// An address sends wrong tokens faster than the limit allows. The event is logged once for each burst.
    case wrongTokens(address: String)
}
