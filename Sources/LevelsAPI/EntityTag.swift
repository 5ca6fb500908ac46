import ContentCodings
import HTTPServer

/// Entity tags and the condition on them (RFC 9110, sections 8.8.3 and 13.1.2).
enum EntityTag {
    /// Whether `If-None-Match` names this tag: `*`, or a list in which it stands, weakly compared.
    ///
    /// - Parameters:
    ///   - list: the field's value, all its lines joined by commas.
    ///   - tag: a strong tag with its quotes.
    static func matches(_ list: String, _ tag: String) -> Bool {
        var rest = list.utf8[...]
        while let first = rest.first {
            switch first {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","): rest.removeFirst()
            case UInt8(ascii: "*"): return list.utf8.filter { $0 != 32 && $0 != 9 } == [UInt8(ascii: "*")]
            default:
                if rest.starts(with: "W/".utf8) { rest.removeFirst(2) }
                guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
                else {
                    return false
                }
                if rest[...end].elementsEqual(tag.utf8) { return true }
                rest = rest[rest.index(after: end)...]
            }
        }
        return false
    }

    /// Whether a request's `If-None-Match` names this tag.
    @inline(__always)
    static func isNamed(_ tag: String?, by request: Request) -> Bool {
        guard request.has(.ifNoneMatch), let tag, let list = request.field(.ifNoneMatch) else { return false }
        return matches(list, tag)
    }

    /// The tag of a body in a coding: strong tags differ wherever bytes do (RFC 9110, section 8.8.3.3).
    static func of(_ plain: String, _ coding: ContentCoding) -> String {
        coding == .identity ? plain : "\(plain.dropLast())-\(coding.token)\""
    }
}
