import Testing

@testable import HTTPServer

@Suite("The addresses of the machine's network interfaces")
struct NetworkInterfaceTests {
    private static let addresses = [
        InterfaceAddress(host: "127.0.0.1", isConnected: false), InterfaceAddress(host: "::1", isConnected: false),
        InterfaceAddress(host: "fd00::2", isConnected: true), InterfaceAddress(host: "fe80::1%eth0", isConnected: true),
        InterfaceAddress(host: "169.254.7.7", isConnected: true),
        InterfaceAddress(host: "10.0.0.9", isConnected: false),
        InterfaceAddress(host: "192.168.1.20", isConnected: true),
        InterfaceAddress(host: "10.1.2.3", isConnected: true),
        InterfaceAddress(host: "2001:db8::5", isConnected: true),
    ]

    @Test(
        "are reachable by a socket that is bound to all of them, three at most and IPv4 first",
        arguments: [
            (.internet(host: "0.0.0.0", port: 80), ["192.168.1.20", "10.1.2.3"]),
            (.internet(host: "::", port: 80), ["192.168.1.20", "10.1.2.3", "fd00::2"]),
            (.internet(host: "127.0.0.1", port: 80), []), (.internet(host: "192.168.1.20", port: 80), []),
            (.unix(path: "/run/a"), []),
        ] as [(BoundAddress, [String])])
    func reachable(bound: BoundAddress, hosts: [String]) {
        #expect(bound.reachableHosts(among: Self.addresses) == hosts)
    }

    @Test("include the loopback address, at which other machines do not reach this one")
    func loopback() {
        #expect(InterfaceAddress.all().contains(InterfaceAddress(host: "127.0.0.1", isConnected: false)))
        #expect(!BoundAddress.internet(host: "::", port: 80).reachableHosts.contains { $0.hasPrefix("127.") })
    }
}
