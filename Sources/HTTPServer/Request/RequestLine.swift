/// The first line of a request, in place in the library's buffer.
struct RequestLine {
    let method: Octets
    /// The target in the library's buffer; the request has a copy.
    let target: Octets
    let version: Octets

    /// Whether the version is HTTP/1.0.
    ///
    /// The library has checked that any other is `HTTP/1.x`; it is served as HTTP/1.1 (RFC 9110, section 2.5).
    var isVersion10: Bool { version.equals("HTTP/1.0") }

    /// The fault of the line, if it has one.
    func fault(strictly layout: Bool) -> Fault? {
        // Versions of the library before 1.0 skip spaces, and end the line at a null character.
        if layout, unsafe target.start != method.end + 1 || version.start != target.end + 1 { return .requestLine }
        return method.isToken ? nil : .method
    }
}

extension Request {
    /// Converts the target to origin-form (RFC 9112, section 3.2), or returns its fault.
    ///
    /// - Parameter hosts: those that are served; nil for all.
    func normalizeTarget(isConnect: Bool, hosts: AllowedHosts?) -> Fault? {
        let target = parts.target.octets
        if !target.isTarget { return .targetCharacter }
        if isConnect { return .proxy }
        if target.count > 0, target[0] == UInt8(ascii: "/") { return cutFragment() }
        if target.count == 1, target[0] == UInt8(ascii: "*"), method == .options { return nil }
        let scheme = target.begins(with: "http://") ? 7 : target.begins(with: "https://") ? 8 : 0
        guard scheme > 0 else { return .targetForm }
        var end = scheme
        while end < target.count, !Request.endsAuthority(target[end]) { end += 1 }
        // User information in a link can deceive (RFC 9110, section 4.2.4), so '@' is not accepted.
        guard end > scheme, target[scheme..<end].isHost else { return .targetForm }
        if let hosts, !hosts.serves(target[scheme..<end]) { return .misdirected(target[scheme..<end]) }
        let isPath = end < target.count && target[end] == UInt8(ascii: "/")
        parts.target.cut(to: end..<target.count)
        if !isPath { parts.target.prependSlash() }
        return cutFragment()
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private func cutFragment() -> Fault? {
        let target = parts.target.octets
        if let place = target.firstIndex(of: UInt8(ascii: "#")) { parts.target.cut(to: 0..<place) }
        return nil
    }
}
