/// The origin of a web page as its browser sends it: `https://app.example.org:8443` (RFC 6454, section 6.2).
public struct Origin: Equatable, Sendable {
    /// The form that a browser sends: in lower case, without the scheme's default port.
    public let text: String

    /// Reads `scheme://host` or `scheme://host:port`; nil for anything else.
    public init?(_ text: String) {
        let text = text.lowercased()
        guard let slashes = text.firstRange(of: "://"), Self.isScheme(text[..<slashes.lowerBound]) else { return nil }
        let scheme = text[..<slashes.lowerBound]
        var host = text[slashes.upperBound...]
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            guard let port = Self.port(host[host.index(after: colon)...]) else { return nil }
            host = host[..<colon]
            guard Self.isHost(host) else { return nil }
            self.text =
                Self.standardPorts[String(scheme)] == port ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
        } else {
            guard Self.isHost(host) else { return nil }
            self.text = "\(scheme)://\(host)"
        }
    }

    private static let standardPorts = ["http": 80, "https": 443]

    private static func port(_ digits: Substring) -> Int? {
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = Int(digits), (1...65_535).contains(port)
        else { return nil }
        return port
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    }

    /// A name, an IPv4 address, or an IPv6 address in brackets; browsers send other scripts as punycode.
    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let address = text.dropFirst().dropLast().utf8
            return address.contains(UInt8(ascii: ":"))
                && address.allSatisfy { isDigit($0) || (97...102).contains($0) || $0 == 0x3A || $0 == 0x2E }
        }
        return !text.isEmpty
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
