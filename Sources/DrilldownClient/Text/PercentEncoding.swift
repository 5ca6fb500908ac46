import Foundation

/// Percent-encoding of one segment of a path or one value of a query (RFC 3986, section 2.1).
enum PercentEncoding {
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// The text with all but unreserved characters encoded, in upper-case hexadecimal digits.
    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// The text that a segment encodes; nil if it is not percent-encoded UTF-8.
    static func decode(_ segment: Substring.UTF8View) -> String? { String(segment)?.removingPercentEncoding }
}
