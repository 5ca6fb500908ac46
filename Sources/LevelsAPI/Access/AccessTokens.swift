import Bytes
import HTTPServer

/// The tokens that allow edits: one a line, after a name and a space if it has one.
///
/// Blank lines and lines that begin with `#` are skipped.
public struct AccessTokens: Sendable, Equatable {
    /// A line that is not a token; it is never shown, because it may contain a secret.
    public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        /// The number of the line, from 1.
        public let line: Int
        /// What is wrong, and what would be right, without a final full stop.
        public let description: String
    }

    private(set) var tokens: [AccessToken] = []
    /// The lines that were left out.
    public private(set) var faults: [Fault] = []

    /// Reads tokens; lines that are not tokens become faults, and allow nothing.
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

    /// Whether there is none, so that editing is off.
    public var isEmpty: Bool { tokens.isEmpty }

    /// The number of tokens.
    public var count: Int { tokens.count }

    /// These and others.
    public func adding(_ others: AccessTokens) -> AccessTokens {
        var all = self
        all.tokens += others.tokens
        all.faults += others.faults
        return all
    }

    /// The token that a client presents; nil if it is none of these.
    ///
    /// All tokens are compared, so that the time does not tell which one is nearly right.
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
        return AccessToken(name: try name(words[0], number), secret: Array(secret))
    }

    private static func name(_ word: ArraySlice<UInt8>, _ number: Int) throws(Fault) -> String {
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
    /// Whether its characters are not shown, or end a line.
    fileprivate var isControl: Bool {
        switch self {
        case .control, .format, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// A secret that allows edits, and the name of its holder.
struct AccessToken: Sendable, Equatable {
    /// The name that the log and `/changes` show; nil if the token has none.
    let name: String?
    /// Visible ASCII.
    let secret: [UInt8]

    /// The minimum length of a token, in bytes.
    static let shortest = 16

    /// Whether this is the token that a client presents.
    ///
    /// Every byte that the client sent is compared, wherever the first difference is, so the time depends on lengths
    /// alone, and tells nothing of how much of a guess is right.
    func matches(_ presented: Span<UInt8>) -> Bool {
        var difference = UInt64(truncatingIfNeeded: secret.count ^ presented.count)
        for index in 0..<presented.count { difference |= UInt64(presented[index] ^ secret[index % secret.count]) }
        return difference == 0
    }
}

/// The token in the `Authorization` field of a request (RFC 6750, section 2.1).
enum BearerCredentials {
    /// Copies the token; nil without one, and for another scheme.
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

    private static func read(_ line: Span<UInt8>) -> [UInt8]? {
        let end = line.index(of: UInt8(ascii: " "))
        guard end < line.count, line.extracting(0..<end).isEqual(ignoringCase: "bearer") else { return nil }
        var start = end
        while start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        return start < line.count ? Array(copying: line.extracting(start..<line.count)) : nil
    }
}
