import Bytes
import HTTPServer
import Locking

/// Access tokens, one per line, optionally after a name and a space.
///
/// Blank lines and lines that begin with `#` are skipped.
public struct AccessTokens: Sendable, Equatable {
    /// A line that is not a token; its text is never shown, because it may contain a secret.
    public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// The number of the line, from 1.
        public let line: Int
        /// The fault, and what would be right, without a final full stop.
        public let description: String
    }

    private(set) var tokens: [AccessToken] = []
    /// The lines that are not tokens.
    public private(set) var faults: [Fault] = []

    /// Reads tokens; other lines become faults.
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

    /// Whether the list is empty.
    public var isEmpty: Bool { tokens.isEmpty }

    /// The number of tokens.
    public var count: Int { tokens.count }

    /// The tokens and faults of both.
    public func adding(_ others: AccessTokens) -> AccessTokens {
        var all = self
        all.tokens += others.tokens
        all.faults += others.faults
        return all
    }

    /// The token with the secret that a client presents, if any.
    ///
    /// All tokens are compared, so that the time reveals nothing about near misses.
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
    /// Whether a name must not have its characters: controls, format characters, ends of lines, and unassigned code points.
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

    /// Whether a client presents this token.
    ///
    /// Every byte that the client sent is compared, wherever the first difference is, so the time depends only on
    /// lengths.
    func matches(_ presented: Span<UInt8>) -> Bool {
        var difference = UInt64(truncatingIfNeeded: secret.count ^ presented.count)
        for index in 0..<presented.count { difference |= UInt64(presented[index] ^ secret[index % secret.count]) }
        return difference == 0
    }
}

/// The token in the `Authorization` field of a request (RFC 6750, section 2.1).
enum BearerCredentials {
    /// The token that a request presents; nil without one, for another scheme, and for several lines.
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

    /// A sentence of advice if the token was sent together with its name, as in the file; otherwise empty.
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

/// Counts the wrong tokens from each address, so that a burst of them is answered with 429.
///
/// Only wrong tokens are counted and slowed down, so clients behind the same proxy as a guesser can still edit.
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

    /// The wrong tokens that are answered at once.
    static let burst = 100.0
    /// The wrong tokens that are forgotten per second.
    static let perSecond = 2.0
    /// The maximum number of addresses; beyond it, the lowest counts are forgotten.
    static let addressLimit = 1_024

    /// Counts one wrong token.
    ///
    /// - Returns: nil if it is answered at once; otherwise the seconds to wait, and whether this is the first time in
    ///   this burst.
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

    /// The number of addresses.
    var count: Int { counts.withLock(\.count) }

    /// Forgets the half with the lowest counts.
    private static func thin(_ counts: inout [String: Count], at now: ContinuousClock.Instant) {
        let kept = counts.sorted { $0.value.value(at: now) > $1.value.value(at: now) }.prefix(addressLimit / 2)
        counts = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}

/// An event about tokens, for logs.
public enum TokenEvent: Sendable, Equatable {
    /// Wrong tokens come from an address faster than they are answered; logged once for each burst.
    case wrongTokens(address: String)
}
