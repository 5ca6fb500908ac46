import HTTPServer
import PropertyLists
import Testing

@testable import drilldown

@Suite("The address of the service")
struct ListenAddressTests {
    @Test(
        "is a host and a port",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:0", "::1", 0), ("*:80", "*", 80),
            ("9000", "127.0.0.1", 9000), (":9000", "127.0.0.1", 9000), ("h:65535", "h", 65_535),
        ])
    func parsed(_ text: String, _ host: String, _ port: UInt16) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(
        "that is none is refused with one that is",
        arguments: [
            ("nowhere", "nowhere:8080"),
            ("::1", "127.0.0.1:1 or [::1]:1"), ("h:+80", "127.0.0.1:8080 or [::1]:8080"),
            ("http://h:80/", "127.0.0.1:8080 or [::1]:8080"),
            ("a/b:80", "127.0.0.1:8080 or [::1]:8080"), ("[h]:80", "127.0.0.1:8080 or [::1]:8080"),
            ("[]:80", "127.0.0.1:8080 or [::1]:8080"),
        ])
    func refused(_ text: String, _ examples: String) {
        #expect(throws: UsageError(fact: "--listen: '\(text)' is not HOST:PORT, such as \(examples).")) {
            try Settings(
                arguments: CommandLineArguments(arguments: ["serve", "a", "--listen", text]), environment: [:])
        }
    }

    @Test(
        "with a port that is too large is refused with the bounds",
        arguments: ["h:65536", "[::1]:99999999999999999999"])
    func portTooLarge(_ text: String) {
        #expect(
            throws: UsageError(
                fact:
                    "--listen: '\(text)' is not HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080 or [::1]:8080."
            )
        ) {
            try Settings(
                arguments: CommandLineArguments(arguments: ["serve", "a", "--listen", text]), environment: [:])
        }
    }

    @Test(
        "is told as a URL that can be opened",
        arguments: [
            ("127.0.0.1:8080", "http://127.0.0.1:8080/"), ("[fe80::1]:8080", "http://[fe80::1]:8080/"),
            ("example.org:8080", "http://example.org:8080/"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080/ and at every other address of this machine"),
            ("*:8080", "http://127.0.0.1:8080/ and at every other address of this machine"),
            ("[::]:8080", "http://[::1]:8080/ and at every other address of this machine"),
        ])
    func url(_ text: String, _ told: String) throws {
        let address = try #require(ListenAddress(text))
        let entry = Log.Entry(
            serving: "Data.plist", count: Quantity(count: 1, noun: "item"),
            at: [ServedAddress(target: .address(address))])
        #expect(entry.text == "serving Data.plist, 1 item, at \(told)")
    }

    @Test("that stands for all is told with those of the machine that other machines can open")
    func reachable() {
        func told(_ host: String, _ reachable: [String], isSecure: Bool) -> String {
            let target = ListenTarget.address(ListenAddress(host: host, port: 8080))
            return [ServedAddress(target: target, isSecure: isSecure, reachableHosts: reachable)].text
        }
        #expect(
            told("0.0.0.0", ["192.168.1.20"], isSecure: false)
                == "http://127.0.0.1:8080/ (from other machines: http://192.168.1.20:8080/)")
        #expect(
            told("::", ["192.168.1.20", "fd00::2"], isSecure: true)
                == "https://[::1]:8080/ (from other machines: https://192.168.1.20:8080/, https://[fd00::2]:8080/)")
    }

    @Test(
        "that cannot be had is refused with another one, in the terms in which it was named",
        arguments: [
            (
                .portInUse(host: "h", port: 8080), .option("listen"),
                "port 8080 on h is in use by another program; choose another: --listen h:8081."
            ),
            (
                .portInUse(host: "h", port: 65535), .standard,
                "port 65535 on h is in use by another program; choose another: --listen h:8080."
            ),
            (
                .portForbidden(host: "h", port: 443), .variable("DRILLDOWN_LISTEN"),
                "port 443 on h needs the administrator's rights; choose one from 1024 up: DRILLDOWN_LISTEN=h:8443."
            ),
            (
                .portForbidden(host: "h", port: 1023), .standard,
                "port 1023 on h needs the administrator's rights; choose one from 1024 up: --listen h:9023."
            ),
            (
                .portForbidden(host: "h", port: 1024), .standard,
                "port 1024 on h needs the administrator's rights; choose another: --listen h:8080."
            ),
            (
                .portForbidden(host: "h", port: 65000), .standard,
                "port 65000 on h needs the administrator's rights; choose another: --listen h:8080."
            ),
            (
                .foreignAddress(host: "h"), .file("a.plist:3:2"),
                "h is not an address of this machine; choose another: Listen 127.0.0.1:80 in a.plist:3:2."
            ),
            (
                .unknownHost("h", reason: "no such name"), .standard,
                "the host h cannot be resolved: no such name; choose another: --listen 127.0.0.1:80."
            ),
            (.system(call: "bind", reason: "no"), .standard, "bind failed: no."),
        ] as [(ServerError, Settings.Origin, String)])
    func unavailable(_ error: ServerError, _ origin: Settings.Origin, _ sentence: String) throws {
        let port: UInt16 =
            switch error {
            case .portInUse(_, let port), .portForbidden(_, let port): port
            default: 80
            }
        let address = try #require(ListenAddress("h:\(port)"))
        #expect(address.sentence(for: error, named: origin) == sentence)
    }
}
