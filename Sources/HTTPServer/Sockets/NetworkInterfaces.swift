import CMicroHTTPD
import Glibc

/// An address of one of the machine's network interfaces (getifaddrs(3)).
struct InterfaceAddress: Equatable {
    /// A numeric address, with a zone if it is valid only within one link.
    let host: String
    /// Whether the interface is up and connected, and is not the loopback interface.
    let isConnected: Bool

    /// Whether another machine can open a URL with this address. A URL cannot contain the zone of an IPv6 address
    /// (RFC 9844), and an IPv4 address in 169.254.0.0/16 means that the interface got no address (RFC 3927).
    fileprivate var isReachable: Bool { isConnected && !host.contains("%") && !host.hasPrefix("169.254.") }

    fileprivate var isIPv4: Bool { !host.contains(":") }

    /// The addresses of all interfaces, in the system's order; empty if the system does not tell them.
    static func all() -> [InterfaceAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var addresses: [InterfaceAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            if let address = unsafe InterfaceAddress(entry) { addresses.append(address) }
            unsafe next = entry.ifa_next
        }
        return addresses
    }

    /// Nil for an interface without an internet address.
    private init?(_ entry: ifaddrs) {
        guard let address = unsafe entry.ifa_addr,
            unsafe [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
        else { return nil }
        let flags = unsafe Int(entry.ifa_flags)
        let connected = Int(IFF_UP) | Int(IFF_RUNNING)
        self.init(
            host: unsafe PeerAddress.text(of: address),
            isConnected: flags & connected == connected && flags & Int(IFF_LOOPBACK) == 0)
    }

    init(host: String, isConnected: Bool) { (self.host, self.isConnected) = (host, isConnected) }
}

extension BoundAddress {
    /// The number of addresses that a person can be expected to try.
    private static let mostReachable = 3

    /// The addresses at which other machines in the network may reach a socket that is bound to all addresses of this
    /// machine, IPv4 first; empty for any other socket.
    public var reachableHosts: [String] { reachableHosts(among: InterfaceAddress.all()) }

    func reachableHosts(among addresses: [InterfaceAddress]) -> [String] {
        guard case .internet(let host, _) = self, ["0.0.0.0", "::"].contains(host) else { return [] }
        let reachable = addresses.filter(\.isReachable)
        let hosts = reachable.filter(\.isIPv4) + (host == "::" ? reachable.filter { !$0.isIPv4 } : [])
        return hosts.prefix(Self.mostReachable).map(\.host)
    }
}
