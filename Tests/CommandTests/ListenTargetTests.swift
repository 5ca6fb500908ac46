import HTTPServer
import ServiceManager
import Testing

@testable import TestSupport
@testable import drilldown

@Suite("Where the service listens")
struct ListenTargetTests {
    private func settings(_ text: String) throws -> Settings {
        try Settings(CommandLineArguments(["serve", "a", "--listen", text]), environment: [:])
    }

    @Test("is an address or the path of a socket")
    func parsed() throws {
        #expect(try settings("unix:/run/drilldown/socket").listenTarget() == .unixSocket("/run/drilldown/socket"))
        #expect(try settings("unix:socket").listenTarget() == .unixSocket("socket"))
        let address = try #require(ListenAddress("[::]:8080"))
        #expect(try settings("[::]:8080").listenTarget() == .address(address))
    }

    @Test("is relative to the folder of the configuration that names it")
    func configured() throws {
        let scratch = try ScratchFolder()
        try scratch.write("a.json", #"{"Source": "a", "Listen": "unix:run/socket"}"#)
        try scratch.write("b.json", #"{"Source": "a", "Listen": "unix:/run/socket"}"#)
        func target(_ name: String) throws -> ListenTarget {
            try Settings(CommandLineArguments(["serve", "--config", scratch(name)]), environment: [:]).listenTarget()
        }
        #expect(try target("a.json") == .unixSocket(scratch("run/socket")))
        #expect(try target("b.json") == .unixSocket("/run/socket"))
    }

    @Test("is refused with the prefix that a path lacks")
    func noPrefix() throws {
        let error = UsageError("--listen: '/run/a' is not HOST:PORT; a socket is unix:/run/a.")
        #expect(throws: error) { try settings("/run/a").listenTarget() }
    }

    @Test("is refused without a path")
    func noPath() throws {
        let error = UsageError("--listen: 'unix:' is not the path of a socket, such as unix:/run/drilldown/socket.")
        #expect(throws: error) { try settings("unix:").listenTarget() }
    }

    @Test("is the address of the socket that the service manager handed over")
    func handed() throws {
        let bound = BoundAddress.internet(host: "::", port: 8080)
        let address = try #require(ListenAddress("[::]:8080"))
        #expect(ServedAddress(bound, of: nil) == .internet(address, port: 8080))
        #expect(ServedAddress(.unix(path: "/run/a"), of: nil) == .unixSocket("/run/a"))
    }

    @Test("keeps the name by which the user knows it")
    func named() throws {
        let address = try #require(ListenAddress("localhost:0"))
        let served = ServedAddress(.internet(host: "127.0.0.1", port: 4711), of: .address(address))
        #expect(
            Log.Entry(serving: "a.plist", itemCount: 2, at: served).text
                == "serving a.plist, 2 items, at http://localhost:4711/")
    }

    @Test("is told in the log")
    func told() throws {
        let socket = ServedAddress.unixSocket("/run/a")
        #expect(
            Log.Entry(serving: "a.plist", itemCount: 2, at: socket)
                == Log.Entry(
                    .info, "serving", "serving a.plist, 2 items, at unix:/run/a",
                    [
                        .init("source", .text("a.plist")), .init("items", .number(2)),
                        .init("listen", .text("unix:/run/a")),
                    ]))
        let address = try #require(ListenAddress("127.0.0.1:0"))
        #expect(
            Log.Entry(loading: "a.plist", for: .internet(address, port: 80))
                == Log.Entry(
                    .info, "starting",
                    "loading a.plist for http://127.0.0.1:80/; until it is loaded, requests are answered with 503",
                    [
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
}
