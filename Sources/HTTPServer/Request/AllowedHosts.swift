/// The hosts that a server answers to (RFC 9110, sections 7.4 and 15.5.20).
///
/// A web page can give its own name the address of another machine, or of this one, and is then of one origin with the
/// server there ("DNS rebinding"). Its requests still name the page's host, by which they are refused.
public final class AllowedHosts: Sendable {
    /// In lower case.
    private let names: [[UInt8]]

    /// - Parameter names: names and addresses without a port, in any case; IPv6 addresses in brackets.
    public init(_ names: [String]) { self.names = names.map { Array($0.lowercased().utf8) } }

    /// The names of this machine that nobody else can have.
    public static let loopbackNames = ["localhost", "127.0.0.1", "[::1]"]

    /// Whether a text is a name or an address without a port, an IPv6 address in brackets.
    public static func isName(_ text: String) -> Bool {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let name = isBracketed ? text.dropFirst().dropLast() : text[...]
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."): true
                case UInt8(ascii: "-"), UInt8(ascii: "_"): !isBracketed
                case UInt8(ascii: ":"): isBracketed
                default: false
                }
            }
    }

    /// Whether a host is one of them, with any port or none.
    func serves(_ host: Octets) -> Bool {
        guard let name = Self.name(in: host) else { return false }
        return names.contains { Self.matches(name, $0) }
    }

    /// The host without its port, and without the dot that may end a name; nil if what follows is no port.
    private static func name(in host: Octets) -> Octets? {
        var end = host.count
        if host.count > 0, host[0] == UInt8(ascii: "[") {
            guard let bracket = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bracket + 1
        } else if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            end = colon
        }
        if end < host.count {
            guard host[end] == UInt8(ascii: ":") else { return nil }
            for place in end + 1..<host.count where !(0x30...0x39).contains(host[place]) { return nil }
        }
        if end > 1, host[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return host[0..<end]
    }

    private static func matches(_ name: Octets, _ lowercased: [UInt8]) -> Bool {
        guard name.count == lowercased.count else { return false }
        for place in lowercased.indices {
            let byte = name[place]
            let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            if lower != lowercased[place] { return false }
        }
        return true
    }
}
