import HTTPServer
import PropertyLists
import Testing

@testable import TestSupport
@testable import drilldown

@Suite("Where the service listens")
struct ListenTargetTests {
    private func settings(_ texts: String...) throws -> Settings {
        try Settings(
            arguments: CommandLineArguments(arguments: ["serve", "a"] + texts.flatMap { ["--listen", $0] }),
            environment: [:])
    }

    @Test("is an address or the path of a socket")
    func parsed() throws {
        #expect(
            try settings("unix:/run/drilldown/socket").listenTargets.first == .unixSocket("/run/drilldown/socket"))
        #expect(try settings("unix:socket").listenTargets.first == .unixSocket("socket"))
        let address = try #require(ListenAddress("[::]:8080"))
        #expect(try settings("[::]:8080").listenTargets.first == .address(address))
    }

    @Test(
        "is refused without its prefix, or without a path",
        arguments: [
            ("/run/a", "HOST:PORT; a socket is unix:/run/a."),
            ("unix:", "the path of a socket, such as unix:/run/drilldown/socket."),
        ])
    func malformed(_ text: String, _ wanted: String) {
        #expect(throws: UsageError(fact: "--listen: '\(text)' is not \(wanted)")) { try settings(text) }
    }

    @Test("is the address of the socket that the service manager handed over")
    func handed() throws {
        let bound = BoundAddress.internet(host: "::", port: 8080)
        let address = try #require(ListenAddress("[::]:8080"))
        #expect(ListenTarget(bound: bound, named: nil) == .address(address))
        #expect(ListenTarget(bound: .unix(path: "/run/a"), named: nil) == .unixSocket("/run/a"))
    }

    @Test("is reported if the service manager handed over other sockets")
    func unused() throws {
        let targets = try settings("127.0.0.1:80", "[::1]:80", "unix:/run/a", "unix:/run/b").listenTargets
        let bound: [BoundAddress] = [.internet(host: "127.0.0.1", port: 80), .unix(path: "/run/b")]
        #expect(ListenTarget.unused(targets, for: bound) == ["[::1]:80", "unix:/run/a"])
        #expect(ListenTarget.unused(targets, for: []) == ["127.0.0.1:80", "[::1]:80", "unix:/run/a", "unix:/run/b"])
        let entry = Log.Entry(unused: ["[::1]:80", "unix:/run/a"], named: "--listen")
        #expect(
            entry.text
                == "--listen: [::1]:80, unix:/run/a is not used, because the service manager handed over the sockets")
    }

    @Test("keeps the name by which the user knows it")
    func named() throws {
        let address = try #require(ListenAddress("localhost:0"))
        let bound = BoundAddress.internet(host: "127.0.0.1", port: 4711)
        let served = ServedAddress(target: ListenTarget(bound: bound, named: .address(address)))
        #expect(
            Log.Entry(serving: "a.plist", count: Quantity(count: 2, noun: "item"), at: [served]).text
                == "serving a.plist, 2 items, at http://localhost:4711/")
    }

    @Test("is in the log")
    func told() throws {
        let socket = ServedAddress(target: .unixSocket("/run/a"))
        #expect(
            Log.Entry(serving: "a.plist", count: Quantity(count: 2, noun: "item"), at: [socket])
                == Log.Entry(
                    severity: .info, event: "serving", text: "serving a.plist, 2 items, at unix:/run/a",
                    members: [
                        .init("source", .text("a.plist")), .init("items", .number(2)),
                        .init("listen", .text("unix:/run/a")),
                    ]))
        let address = try #require(ListenAddress("127.0.0.1:80"))
        #expect(
            Log.Entry(loading: "a.plist", for: [ServedAddress(target: .address(address))])
                == Log.Entry(
                    severity: .info, event: "starting",
                    text:
                        "loading a.plist for http://127.0.0.1:80/; until it is loaded, requests are answered with 503",
                    members: [
                        .init("source", .text("a.plist")), .init("url", .text("http://127.0.0.1:80/")),
                        .init("listen", .text("127.0.0.1:80")),
                    ]))
    }

    @Test("that cannot be had is refused in a sentence")
    func unavailable() {
        let target = ListenTarget.unixSocket("/run/a")
        #expect(
            target.sentence(for: .socketInUse(path: "/run/a"), named: .standard)
                == "the socket '/run/a' is in use by another program; choose another path, or stop that program.")
    }

    @Test("may be at several places, as the option, the variable and the configuration name them")
    func several() throws {
        let wanted: [ListenTarget] = [
            .address(try #require(ListenAddress("127.0.0.1:0"))), .address(try #require(ListenAddress("[::1]:8080"))),
            .unixSocket("/run/a"),
        ]
        let options = ["127.0.0.1:0", "[::1]:8080", "unix:/run/a"].flatMap { ["--listen", $0] }
        let arguments = try CommandLineArguments(arguments: ["serve", "a"] + options)
        #expect(try Settings(arguments: arguments, environment: [:]).listenTargets == wanted)
        let variable = ["DRILLDOWN_LISTEN": "127.0.0.1:0,[::1]:8080,unix:/run/a"]
        #expect(
            try Settings(arguments: CommandLineArguments(arguments: ["serve", "a"]), environment: variable)
                .listenTargets == wanted)
        let scratch = try ScratchFolder()
        try scratch.write("a.json", #"{"Source": "a", "Listen": ["127.0.0.1:0", "unix:/b", "unix:run/a"]}"#)
        let configured = try CommandLineArguments(arguments: ["serve", "--config", scratch("a.json")])
        #expect(
            try Settings(arguments: configured, environment: [:]).listenTargets
                == [wanted[0], .unixSocket("/b"), .unixSocket(scratch("run/a"))])
    }

    @Test("is refused if a place is named twice")
    func twice() throws {
        let arguments = try CommandLineArguments(arguments: ["serve", "a", "--listen", "a:80", "--listen", "a:80"])
        let error = UsageError(fact: "--listen: 'a:80' appears more than once.")
        #expect(throws: error) { try Settings(arguments: arguments, environment: [:]) }
        #expect(try settings("a:0", "a:0").listenTargets.count == 2)
    }

    @Test("is logged with every address, and that of the metrics")
    func severalTold() throws {
        let targets: [ListenTarget] = [
            .address(ListenAddress(host: "127.0.0.1", port: 4711)), .address(ListenAddress(host: "::", port: 80)),
            .unixSocket("/run/a"),
        ]
        let monitoring = ServedAddress(target: .address(ListenAddress(host: "127.0.0.1", port: 9090)))
        let entry = Log.Entry(
            serving: "a.plist", count: Quantity(count: 2, noun: "item"), at: targets.map { ServedAddress(target: $0) },
            monitoring: monitoring)
        #expect(
            entry.text
                == "serving a.plist, 2 items, at http://127.0.0.1:4711/, http://[::1]:80/ and at every other address of this machine and unix:/run/a; metrics and probes at http://127.0.0.1:9090/"
        )
        #expect(
            entry.members.suffix(2) == [
                .init("addresses", .text("http://127.0.0.1:4711/ http://[::1]:80/ unix:/run/a")),
                .init("metrics", .text("http://127.0.0.1:9090/")),
            ])
        let two = Log.Entry(loading: "a.plist", for: targets.suffix(2).map { ServedAddress(target: $0) })
        #expect(two.members.last == .init("addresses", .text("http://[::1]:80/ unix:/run/a")))
        let texts = [targets[0], targets[2]].map { ServedAddress(target: $0) }.text
        #expect(texts == "http://127.0.0.1:4711/ and unix:/run/a")
    }

    @Test("Proxies and the time to drain are checked")
    func checked() throws {
        func settings(_ option: String, _ value: String) throws -> Settings {
            try Settings(arguments: CommandLineArguments(arguments: ["serve", "a", option, value]), environment: [:])
        }
        #expect(throws: UsageError(fact: "--drain: '-1' is not a whole number from 0 to 3600.")) {
            try settings("--drain", "-1")
        }
        #expect(try settings("--drain", "20").drain == .seconds(20))
        #expect(
            throws: UsageError(
                fact:
                    "--trusted-proxies: '10.0.0.0/33' is not a list of addresses and networks, such as 127.0.0.1,10.0.0.0/8, or unix."
            )
        ) {
            try settings("--trusted-proxies", "10.0.0.0/33")
        }
        #expect(throws: UsageError(fact: "--metrics-listen: 'x' is not HOST:PORT, such as x:8080.")) {
            try settings("--metrics-listen", "x")
        }
    }
}
