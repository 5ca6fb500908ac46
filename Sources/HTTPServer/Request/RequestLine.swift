/// The first line of a request, where it lies in the library's buffer.
struct RequestLine {
    let method: Octets
    /// Where the target lies; the request has its bytes.
    let target: Octets
    let version: Octets

    /// Any other version is `HTTP/1.x`, which the library has checked, and is served as HTTP/1.1 (RFC 9110 section 2.5).
    var isVersion10: Bool { version.equals("HTTP/1.0") }

    /// What is wrong with the line, if anything.
    func fault(strictly layout: Bool) -> Fault? {
        // The library of before 1.0 skips spaces, and takes a null character for an end.
        if layout, unsafe target.start != method.end + 1 || version.start != target.end + 1 { return .requestLine }
        return method.isToken ? nil : .method
    }
}

extension Request {
    /// Brings the target into origin-form (RFC 9112 section 3.2), or tells what is wrong with it.
    func normalizeTarget(isConnect: Bool) -> Fault? {
        let target = parts.target.octets
        if !target.isTarget { return .targetCharacter }
        if isConnect { return .proxy }
        if target.count > 0, target[0] == UInt8(ascii: "/") { return cutFragment() }
        if target.count == 1, target[0] == UInt8(ascii: "*"), method == .options { return nil }
        let scheme = target.begins(with: "http://") ? 7 : target.begins(with: "https://") ? 8 : 0
        guard scheme > 0 else { return .targetForm }
        var end = scheme
        while end < target.count, !Request.endsAuthority(target[end]) { end += 1 }
        // User information in a link is a means of deceit (RFC 9110 section 4.2.4): it is no host character.
        guard end > scheme, target[scheme..<end].isHost else { return .targetForm }
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
