import ContentCodings
import HTTPServer
import Levels
import PropertyLists

/// Entity tags and the conditions on them (RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2).
enum EntityTag {
    /// Whether a request's `If-None-Match` names this tag, weakly compared.
    @inline(__always)
    static func isNamed(_ tag: String?, by request: Request) -> Bool {
        guard request.has(.ifNoneMatch), let tag else { return false }
        return contains(.ifNoneMatch, of: request) { listed, _ in listed.isEqual(to: tag.utf8Span.span) }
    }

    /// Refuses a request whose `If-Match` names another representation than the one selected.
    ///
    /// The tag of any coding or layout of it counts: a client library chooses the coding, and some proxies change it.
    /// Judged before `If-None-Match` (RFC 9110, section 13.2.2), and once: a request that then waits gets what it
    /// waited for.
    ///
    /// - Throws: `Problem` (412) with the tag that the representation has.
    static func checkMatch(_ tag: String?, of request: Request) throws(Problem) {
        guard request.has(.ifMatch), let tag else { return }
        let version = version(of: tag)
        let isMet = contains(.ifMatch, of: request) { listed, isWeak in !isWeak && isForm(listed, ofVersion: version) }
        if !isMet { throw .preconditionFailed(current: tag) }
    }

    /// Whether a tag is that of a version, whatever the coding or layout.
    static func isTag(_ tag: String?, ofVersion text: String) -> Bool {
        guard let tag else { return false }
        return version(of: tag) == text
    }

    /// The tag of a body in a coding: strong tags differ wherever bytes do (RFC 9110, section 8.8.3.3).
    static func of(_ plain: String, _ coding: ContentCoding) -> String {
        coding == .identity ? plain : "\(plain.dropLast())-\(coding.token)\""
    }

    /// The tag of a body laid out for people.
    static func indented(_ plain: String) -> String { "\(plain.dropLast())\(indentedSuffix)\"" }

    private static let indentedSuffix = "-pretty"

    /// The version in a strong tag: what stands between its first quote and the suffixes.
    private static func version(of tag: String) -> String {
        String(decoding: tag.utf8.dropFirst().prefix(Version.width), as: UTF8.self)
    }

    /// Whether a listed tag is a version's, plain or with the suffixes of a layout and a coding.
    private static func isForm(_ tag: Span<UInt8>, ofVersion version: String) -> Bool {
        let end = Version.width + 1
        guard tag.count > end, tag.extracting(1..<end).isEqual(to: version.utf8Span.span) else { return false }
        let suffix = String(utf8: tag.extracting(end..<tag.count - 1))
        return ContentCoding.allCases.contains { coding in
            let coded = coding == .identity ? "" : "-\(coding.token)"
            return suffix == coded || suffix == indentedSuffix + coded
        }
    }

    /// Whether the list in a field has a tag that is wanted, or is `*`; what follows something malformed is not read.
    ///
    /// - Parameter isWanted: judges a tag with its quotes, and whether it is weak.
    private static func contains(
        _ field: FieldName, of request: Request, _ isWanted: (_ tag: Span<UInt8>, _ isWeak: Bool) -> Bool
    ) -> Bool {
        var lines = 0
        var isAny = false
        var isFound = false
        request.forEachLine(of: field) { line in
            lines += 1
            isAny = isAny || line.count == 1 && line[0] == UInt8(ascii: "*")
            isFound = isFound || contains(line, isWanted)
        }
        return isFound || isAny && lines == 1
    }

    private static func contains(_ line: Span<UInt8>, _ isWanted: (Span<UInt8>, Bool) -> Bool) -> Bool {
        var place = 0
        while place < line.count {
            switch line[place] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","): place += 1
            default:
                let isWeak = line[place] == UInt8(ascii: "W")
                let start = isWeak ? place + 2 : place
                if isWeak { guard start < line.count, line[place + 1] == UInt8(ascii: "/") else { return false } }
                guard start < line.count, line[start] == UInt8(ascii: "\"") else { return false }
                var end = start + 1
                while end < line.count, line[end] != UInt8(ascii: "\"") { end += 1 }
                guard end < line.count else { return false }
                if isWanted(line.extracting(start..<end + 1), isWeak) { return true }
                place = end + 1
            }
        }
        return false
    }
}
