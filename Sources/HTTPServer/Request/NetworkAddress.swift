import Glibc

/// A numeric internet address; one of IPv4 is kept as the IPv6 address that it is mapped to (RFC 4291, section 2.5.5.2).
struct NetworkAddress: Equatable {
    /// 16 bytes in network order.
    let bytes: [UInt8]

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    var isIPv4: Bool { bytes.starts(with: Self.mapped) }

    /// Nil for a text that is not an address; the zone of an IPv6 address is left out.
    init?(_ text: some StringProtocol) {
        let text = String(text.prefix { $0 != "%" })
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Self.mapped + bytes[..<4]
        } else {
            return nil
        }
    }

    /// The address as `PeerAddress` has it.
    var text: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let (family, start) = isIPv4 ? (AF_INET, 12) : (AF_INET6, 0)
        _ = unsafe inet_ntop(family, Array(bytes[start...]), &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The addresses that have their first bits in common.
struct Network: Equatable {
    private let address: NetworkAddress
    /// Of 128.
    private let bits: Int

    /// An address, or a network as `10.0.0.0/8`; nil for any other text.
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
