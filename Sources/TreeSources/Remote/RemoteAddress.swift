internal import CCurl

/// The URL of a document, taken apart: what may be shown of it, and what only its origin is told.
public struct RemoteAddress: Sendable, Equatable {
    /// Without user, password and fragment: for requests, logs, errors and `/readyz`.
    public let shown: String
    /// The host and the port that is connected to, as `localhost:8080`.
    let place: String
    let user, password: String?

    /// Whether a source is meant as a URL, be it a right one or not.
    public static func isMeant(by text: String) -> Bool {
        let text = text.prefix(8).lowercased()
        return text.hasPrefix("http://") || text.hasPrefix("https://")
    }

    /// - Throws: `SourceError` for what is no `http` or `https` URL (RFC 3986).
    public init(_ text: String) throws(SourceError) {
        let address = URLHandle()
        guard Self.isMeant(by: text), !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), address.parse(text)
        else {
            throw SourceError(
                Self.withoutUser(text),
                "it is no URL that can be asked; write https://HOST/PATH or http://HOST:PORT/PATH"
            )
        }
        user = address.part(CURLUPART_USER, decoded: true)
        password = address.part(CURLUPART_PASSWORD, decoded: true)
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT] { address.remove(part) }
        shown = address.part(CURLUPART_URL) ?? Self.withoutUser(text)
        place = "\(address.part(CURLUPART_HOST) ?? ""):\(address.part(CURLUPART_PORT) ?? "")"
    }

    /// What may be shown of a text that may be a URL, be it a right one or not.
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
        // A password that someone forgot to encode may hold a slash; then more is cut than need be.
        guard let end = rest.lastIndex(of: "@") else { return text }
        return String(text[..<scheme.upperBound] + rest[rest.index(after: end)...])
    }
}

/// One URL of curl's (`libcurl-url(3)`).
@safe
private struct URLHandle: ~Copyable {
    private let handle = unsafe curl_url()

    deinit { unsafe curl_url_cleanup(handle) }

    /// - Returns: false for what is no URL.
    func parse(_ text: String) -> Bool {
        unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_URLENCODE)) == CURLUE_OK
    }

    func remove(_ part: CURLUPart) { _ = unsafe curl_url_set(handle, part, nil, 0) }

    /// A part; nil where there is none. The port is that of the scheme where none stands.
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
