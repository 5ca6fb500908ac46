internal import Bytes
internal import CCurl

/// The parsed URL of a document. The user name and the password in it are sent only to the origin, and are never shown.
public struct RemoteAddress: Sendable, Equatable {
    /// The URL without user name, password and fragment: for requests, logs, errors and `/readyz`.
    public let shown: String
    /// The host and port to connect to, such as `localhost:8080`.
    let place: String
    let user, password: String?

    /// The schemes of the URLs to which the origin may redirect, as curl lists them. A document that is fetched securely
    /// is not fetched from an insecure URL.
    var redirectSchemes: String { shown.hasPrefix("https:") ? "https" : "http,https" }

    /// Whether a source looks like an `http` or `https` URL, valid or not.
    public static func isMeant(by text: String) -> Bool {
        let text = text.prefix(8).lowercased()
        return text.hasPrefix("http://") || text.hasPrefix("https://")
    }

    /// - Throws: `SourceError` if the text is not a valid `http` or `https` URL (RFC 3986).
    public init(_ text: String) throws(SourceError) {
        let address = URLHandle()
        try Self.refuseUnprintable(text)
        guard Self.isMeant(by: text), address.parse(Self.encoded(text)) else {
            throw SourceError(
                Self.withoutUser(text),
                reason: "it is not a valid URL; write https://HOST/PATH or http://HOST:PORT/PATH"
            )
        }
        user = address.part(CURLUPART_USER, decoded: true)
        password = address.part(CURLUPART_PASSWORD, decoded: true)
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT] { address.remove(part) }
        shown = address.part(CURLUPART_URL) ?? Self.withoutUser(text)
        place = "\(address.part(CURLUPART_HOST) ?? ""):\(address.part(CURLUPART_PORT) ?? "")"
    }

    /// Refuses characters in a URL that some releases of libcurl accept and others refuse.
    ///
    /// - Throws: `SourceError` for control characters, and for spaces before the path.
    private static func refuseUnprintable(_ text: String) throws(SourceError) {
        if let control = text.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
            throw SourceError(
                withoutUser(text),
                reason:
                    "the URL contains the control character U+\(String(hexadecimal: control.value, digits: 4)); remove it, or write it percent-encoded"
            )
        }
        if authority(of: text).contains(" ") {
            throw SourceError(
                withoutUser(text),
                reason:
                    "the URL contains a space before its path; remove it, or write it as %20 in a user name or password"
            )
        }
    }

    /// The part of a URL between the scheme and the path (RFC 3986, section 3.2).
    private static func authority(of text: String) -> Substring {
        guard let scheme = text.firstRange(of: "://") else { return text[...] }
        return text[scheme.upperBound...].prefix { !"/?#".contains($0) }
    }

    /// Percent-encodes spaces and non-ASCII characters after the authority, because releases of libcurl differ in this.
    private static func encoded(_ text: String) -> String {
        let authority = authority(of: text)
        // A host name may contain non-ASCII characters (RFC 5891).
        let rest = text[authority.endIndex...].utf8.map { byte in
            byte > 0x20 && byte < 0x7F ? String(UnicodeScalar(byte)) : "%" + String(hexadecimal: byte, digits: 2)
        }
        return text[..<authority.endIndex] + rest.joined()
    }

    /// Returns the name of a source without user name and password. The name need not be a valid URL.
    public static func shown(_ text: String) -> String {
        do {
            return try RemoteAddress(text).shown
        } catch {
            return withoutUser(text)
        }
    }

    private static func withoutUser(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        // The last `@` counts, because an unencoded password may contain a slash. If the path contains an `@`, the
        // result is shorter than necessary.
        guard let end = rest.lastIndex(of: "@") else { return text }
        return String(text[..<scheme.upperBound] + rest[rest.index(after: end)...])
    }
}

/// A curl URL handle (`libcurl-url(3)`).
@safe
private struct URLHandle: ~Copyable {
    private let handle = unsafe curl_url()

    deinit { unsafe curl_url_cleanup(handle) }

    /// - Returns: false if the text is not a URL.
    func parse(_ text: String) -> Bool {
        unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_URLENCODE)) == CURLUE_OK
    }

    func remove(_ part: CURLUPart) { _ = unsafe curl_url_set(handle, part, nil, 0) }

    /// Returns a part of the URL, or nil if it is absent. For an absent port, returns the default port of the scheme.
    func part(_ part: CURLUPart, decoded: Bool = false) -> String? {
        let flags = decoded ? CURLU_URLDECODE : part == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text = unsafe text else {
            return nil
        }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
