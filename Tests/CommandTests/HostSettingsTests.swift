import Testing

@testable import HTTPServer
@testable import drilldown

@Suite("The option --hosts")
struct HostSettingsTests {
    private func hosts(at bound: BoundAddress, _ options: String...) throws -> Bool {
        let arguments = try CommandLineArguments(arguments: ["serve", "a.plist"] + options)
        return try Settings(arguments: arguments, environment: [:]).hosts(at: [bound], of: []) != nil
    }

    @Test("is not needed on a loopback address, where other hosts are refused without it")
    func loopback() throws {
        for host in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
            let bound = BoundAddress.internet(host: host, port: 1)
            #expect(try hosts(at: bound))
            #expect(try hosts(at: bound, "--hosts", "app.example"))
            #expect(try !hosts(at: bound, "--hosts", "*"))
        }
    }

    @Test("adds to the names of this machine those of the addresses that are named and bound")
    func names() throws {
        let arguments = try CommandLineArguments(arguments: ["serve", "a.plist", "--hosts", "app.example"])
        let settings = try Settings(arguments: arguments, environment: [:])
        let target = ListenTarget.address(ListenAddress(host: "box", port: 80))
        let bound: [BoundAddress] = [
            .internet(host: "fd00::5", port: 80), .internet(host: "10.0.0.5", port: 80), .unix(path: "/a"),
        ]
        let hosts = try #require(settings.hosts(at: bound, of: [target]))
        let names = [
            "localhost", "[::1]", "127.0.0.1", "[fd00::5]", "10.0.0.5", "box", "app.example", "[10.0.0.5]", "fd00::5",
            "other",
        ]
        let served = names.filter { name in unsafe name.withCString { unsafe hosts.serves(Octets(cString: $0)) } }
        #expect(served == Array(names.prefix(7)))
    }

    @Test("turns the check on elsewhere")
    func elsewhere() throws {
        for bound in [
            BoundAddress.internet(host: "0.0.0.0", port: 1), .internet(host: "::", port: 1),
            .internet(host: "10.1.2.3", port: 1), .unix(path: "/run/a"),
        ] {
            #expect(try !hosts(at: bound))
            #expect(try hosts(at: bound, "--hosts", "app.example, [fe80::1]"))
            #expect(try !hosts(at: bound, "--hosts", "*"))
        }
    }

    @Test("is not needed at the loopback addresses among others")
    func mixed() throws {
        let local = BoundAddress.internet(host: "127.0.0.1", port: 1)
        let mixed = [local, .internet(host: "10.1.2.3", port: 1), .unix(path: "/run/a")]
        func settings(_ options: String...) throws -> Settings {
            try Settings(arguments: CommandLineArguments(arguments: ["serve", "a.plist"] + options), environment: [:])
        }
        #expect(try settings().hosts(at: mixed, of: []) != nil)
        #expect(try settings().checkedAddresses(mixed) == [local])
        #expect(try settings().checkedAddresses([local]) == nil)
        #expect(try settings("--hosts", "app.example").checkedAddresses(mixed) == nil)
    }

    @Test("takes names without ports", arguments: ["app.example:80", "a,*", "http://a", "::1", "a/b"])
    func malformed(list: String) throws {
        #expect(
            throws: UsageError(
                fact:
                    "--hosts: '\(list)' is not a list of host names without ports, separated by commas, or * alone for all."
            )
        ) {
            try hosts(at: .internet(host: "127.0.0.1", port: 1), "--hosts", list)
        }
    }
}
