import Glibc
import Testing

@testable import ServiceManager

@Suite("The environment of a service manager")
struct ServiceEnvironmentTests {
    private func manager(_ environment: [String: String]) throws -> ServiceEnvironment {
        try ServiceEnvironment(environment: environment, process: 42)
    }

    @Test("is absent for a process that none started")
    func none() throws {
        #expect(try manager([:]) == .none)
        #expect(try manager(["HOME": "/root"]) == .none)
    }

    @Test("names the sockets that were handed over, from descriptor 3 on")
    func sockets() throws {
        let one = try manager(["LISTEN_PID": "42", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "web"])
        #expect(one.sockets == [HandedSocket(descriptor: 3, name: "web")])
        let unnamed = try manager(["LISTEN_PID": "42", "LISTEN_FDS": "1"])
        #expect(unnamed.sockets == [HandedSocket(descriptor: 3, name: "unknown")])
        #expect(try manager(["LISTEN_PID": "42", "LISTEN_FDS": "0"]).sockets == [])
    }

    @Test("may hand over several sockets")
    func several() throws {
        let two = try manager(["LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a.socket:"])
        #expect(
            two.sockets == [
                HandedSocket(descriptor: 3, name: "a.socket"), HandedSocket(descriptor: 4, name: "unknown"),
            ])
    }

    @Test("that names another process, or none, hands over nothing")
    func otherProcess() throws {
        #expect(try manager(["LISTEN_PID": "41", "LISTEN_FDS": "1"]).sockets == [])
        #expect(try manager(["LISTEN_FDS": "1"]).sockets == [])
        #expect(try manager(["LISTEN_PID": "42"]).sockets == [])
    }

    @Test("gives the interval of the watchdog, if it watches this process")
    func watchdog() throws {
        #expect(try manager(["WATCHDOG_USEC": "3000000"]).watchdogInterval == .seconds(3))
        #expect(try manager(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "42"]).watchdogInterval == .seconds(3))
        #expect(try manager(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"]).watchdogInterval == nil)
    }

    @Test(
        "that cannot be understood is refused",
        arguments: [
            (
                ["LISTEN_PID": "42", "LISTEN_FDS": "many"],
                "the service manager set LISTEN_FDS to 'many', which is not a number of sockets"
            ),
            (
                ["LISTEN_PID": "42", "LISTEN_FDS": "-1"],
                "the service manager set LISTEN_FDS to '-1', which is not a number of sockets"
            ),
            (
                ["WATCHDOG_USEC": "0"],
                "the service manager set WATCHDOG_USEC to '0', which is not a number of microseconds"
            ),
            (
                ["NOTIFY_SOCKET": "vsock:2:1234"],
                "the service manager set NOTIFY_SOCKET to 'vsock:2:1234', which is not a socket's absolute path, or '@' and a name"
            ),
            (
                ["NOTIFY_SOCKET": "@"],
                "the service manager set NOTIFY_SOCKET to '@', which is not a socket's absolute path, or '@' and a name"
            ),
        ])
    func refused(_ environment: [String: String], _ sentence: String) throws {
        let error = #expect(throws: ServiceManagerError.self) { try manager(environment) }
        #expect(error?.description == sentence)
    }

    @Test(arguments: ["/", "@"]) func `the address of its socket leaves room for a zero byte`(_ prefix: String) throws {
        let longest = prefix + String(repeating: "a", count: 106)
        #expect(try manager(["NOTIFY_SOCKET": longest]).notifications?.address == longest)
        #expect(throws: ServiceManagerError.self) { try manager(["NOTIFY_SOCKET": longest + "a"]) }
    }

    @Test("is removed, so that no child process takes it for its own")
    func cleared() {
        for variable in ServiceEnvironment.variables { unsafe setenv(variable, "1", 1) }
        ServiceEnvironment.clearEnvironment()
        for variable in ServiceEnvironment.variables { #expect(unsafe getenv(variable) == nil) }
    }
}
