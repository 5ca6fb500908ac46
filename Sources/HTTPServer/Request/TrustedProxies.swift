/// The proxies that the server trusts to name the address of the client.
public final class TrustedProxies: Sendable {
    private let networks: [Network]
    private let trustsUnix: Bool

    /// Nil if a text is malformed.
    ///
    /// - Parameter texts: addresses, networks such as `10.0.0.0/8`, and `unix` for the clients of Unix domain sockets.
    public init?(_ texts: [String]) {
        let networks = texts.filter { $0 != PeerAddress.unix }.map(Network.init)
        guard networks.allSatisfy({ $0 != nil }) else { return nil }
        self.networks = networks.compactMap(\.self)
        trustsUnix = texts.contains(PeerAddress.unix)
    }

    /// Whether the client of a connection is one of the proxies.
    ///
    /// - Parameter peer: the text of a `PeerAddress`.
    func trust(peer: String) -> Bool {
        peer == PeerAddress.unix ? trustsUnix : NetworkAddress(peer).map(trust) ?? false
    }

    private func trust(_ address: NetworkAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The client's address, from the fields that the proxies sent.
    ///
    /// Each proxy adds the address of its own client at the end. So the last address that does not belong to a trusted
    /// proxy is the client's; earlier addresses may be invented. If both `Forwarded` and `X-Forwarded-For` are present
    /// and name different clients, neither field is trusted.
    ///
    /// - Parameters:
    ///   - peer: the address of the connection's client, which is a proxy.
    ///   - forwarded: the field `Forwarded` (RFC 7239).
    ///   - addresses: the field `X-Forwarded-For`.
    func client(of peer: String, forwarded: String?, addresses: String?) -> String {
        let standard = forwarded.map { client(of: peer, by: ForwardedField.addresses(in: $0)) }
        let usual = addresses.map { client(of: peer, by: $0.split(separator: ",").map(ForwardedField.address)) }
        if let standard, let usual { return standard == usual ? standard : peer }
        return standard ?? usual ?? peer
    }

    /// - Parameter path: the client's address, then the address of each proxy; nil for a malformed address.
    private func client(of peer: String, by path: [NetworkAddress?]) -> String {
        var nearest = peer
        for address in path.reversed() {
            guard let address else { break }
            nearest = address.text
            if !trust(address) { break }
        }
        return nearest
    }
}

/// The field `Forwarded` (RFC 7239, section 4).
enum ForwardedField {
    /// The address in the parameter `for` of each element; nil for an element without an address. Empty if the field is
    /// malformed.
    static func addresses(in field: String) -> [NetworkAddress?] {
        guard let elements = parts(of: field, dividedBy: UInt8(ascii: ",")) else { return [] }
        return elements.map { element in
            for pair in parts(of: element, dividedBy: UInt8(ascii: ";")) ?? [] {
                let sides = pair.split(separator: "=", maxSplits: 1)
                guard sides.count == 2, trimmed(sides[0]).lowercased() == "for" else { continue }
                let value = trimmed(sides[1])
                let isQuoted = value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 1
                return address(isQuoted ? value.dropFirst().dropLast() : value)
            }
            return nil
        }
    }

    /// Reads an address with or without a port, and an IPv6 address with or without brackets; nil for any other text.
    static func address(_ text: some StringProtocol) -> NetworkAddress? {
        let text = trimmed(Substring(text))
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return NetworkAddress(text[text.index(after: text.startIndex)..<end])
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return NetworkAddress(parts.count == 2 ? parts[0] : text)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    /// The parts between separators outside of quotes; nil if a quote is not closed.
    private static func parts(of text: some StringProtocol, dividedBy separator: UInt8) -> [Substring]? {
        let text = Substring(text)
        var parts: [Substring] = []
        var start = text.startIndex
        var (isQuoted, isEscaped) = (false, false)
        for place in text.utf8.indices {
            let byte = text.utf8[place]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == separator, !isQuoted {
                parts.append(text[start..<place])
                start = text.utf8.index(after: place)
            }
        }
        return isQuoted ? nil : parts + [text[start...]]
    }
}

/// A network: all addresses that begin with the same bits.
struct Network: Equatable {
    private let address: NetworkAddress
    /// The number of bits that the addresses share, of the 128 bits of an address.
    private let bits: Int

    /// Reads an address, or a network such as `10.0.0.0/8`; nil for any other text.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = NetworkAddress(first) else { return nil }
        let offset = first.contains(":") ? 0 : 96
        guard parts.count == 2 else {
            (self.address, bits) = (address, 128)
            return
        }
        guard let bits = UInt8(parts[1]), Int(bits) + offset <= 128 else { return nil }
        (self.address, self.bits) = (address, Int(bits) + offset)
    }

    func contains(_ other: NetworkAddress) -> Bool {
        let whole = bits / 8
        guard address.bytes[..<whole] == other.bytes[..<whole] else { return false }
        let rest = bits % 8
        return rest == 0 || (address.bytes[whole] ^ other.bytes[whole]) >> UInt8(8 - rest) == 0
    }
}
