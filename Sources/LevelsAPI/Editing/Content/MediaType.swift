import Bytes
import HTTPFields

/// The value of `Content-Type` (RFC 9110, section 8.3.1).
struct MediaType: Equatable {
    /// The type and the subtype, in lower case.
    let name: String
    /// The parameter of that name, in lower case; nil if there is none.
    private(set) var charset: String?

    /// Nil for text without a type.
    init?(_ text: String) {
        var parts: [String] = []
        text.utf8Span.span.forEachElement(dividedBy: UInt8(ascii: ";")) { part in
            parts.append(String(utf8: part).lowercased())
            return true
        }
        guard let name = parts.first, name.split(separator: "/", omittingEmptySubsequences: false).count == 2 else {
            return nil
        }
        self.name = name
        for part in parts.dropFirst() where part.hasPrefix("charset=") {
            charset = part.dropFirst(8).filter { $0 != "\"" }
        }
    }
}
