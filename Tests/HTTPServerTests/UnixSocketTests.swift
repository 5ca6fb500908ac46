import Glibc
import Locking
import Testing

@testable import HTTPServer

@Suite("Listening on a Unix domain socket")
struct UnixSocketTests {
    /// A folder that is removed with this.
    private final class Folder {
        let path = "/tmp/drilldown-socket-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        var socket: String { path + "/socket" }

        init() { unsafe mkdir(path, 0o700) }

        deinit {
            unsafe unlink(socket)
            unsafe rmdir(path)
        }

        func mode() -> mode_t? {
            var status = stat()
            return unsafe lstat(socket, &status) == 0 ? status.st_mode : nil
        }
    }

    private func server(_ path: String, _ responder: Echo = Echo()) throws -> Server {
        try Server(configuration: .varied(), responder: responder, listeners: [Listener(unixSocket: path)])
    }

    private func failure(_ path: String) -> String? {
        do {
            _ = try Listener(unixSocket: path)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("serves, and knows its clients as 'unix'")
    func serves() throws {
        let folder = Folder()
        let peers = Guarded<[String]>([])
        let responder = Echo(answer: { request in
            peers.withLock { $0.append(request.client) }
            return Echo.description(of: request)
        })
        let server = try server(folder.socket, responder)
        #expect(server.addresses.first == .unix(path: folder.socket))
        #expect(server.port == 0)
        let client = try RawClient(unixSocket: folder.socket)
        for target in ["/a", "/b"] {
            client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().body == "get \(target) ")
        }
        #expect(peers.withLock { $0 } == ["unix", "unix"])
    }

    @Test("lets its user and its group connect, and removes the socket at the end")
    func rights() throws {
        let folder = Folder()
        let server = try server(folder.socket)
        #expect(folder.mode() == S_IFSOCK | 0o660)
        server.stop(grace: .seconds(5))
        #expect(folder.mode() == nil)
    }

    @Test("replaces the socket of a killed process, and not that of another program")
    func takeover() throws {
        let folder = Folder()
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: folder.socket.utf8) }
        let outcome = unsafe withUnsafePointer(to: &address) {
            let raw = unsafe UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self)
            return unsafe bind(left, raw, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
        try #require(outcome == 0)
        close(left)
        let server = try server(folder.socket)
        #expect(failure(folder.socket) == "the socket '\(folder.socket)' is in use by another program")
        let client = try RawClient(unixSocket: folder.socket)
        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readAnswer().body == "get /a ")
        server.stop(grace: .seconds(5))
    }

    @Test("does not remove the socket that another process has put in its place")
    func replaced() throws {
        let folder = Folder()
        let first = try server(folder.socket)
        unsafe unlink(folder.socket)
        let second = try server(folder.socket)
        first.stop(grace: .seconds(5))
        #expect(folder.mode() == S_IFSOCK | 0o660)
        second.stop(grace: .seconds(5))
        #expect(folder.mode() == nil)
    }

    @Test("says why there can be none")
    func impossible() {
        let folder = Folder()
        let long = folder.path + "/" + String(repeating: "a", count: 100)
        #expect(
            failure(long) == "the path of the socket has \(long.utf8.count) bytes, and the system allows 107: \(long)")
        #expect(
            failure("/nowhere/socket")
                == "the socket '/nowhere/socket' cannot be created: the folder '/nowhere' does not exist; create it, or name another path"
        )
        #expect(
            failure(folder.path) == "'\(folder.path)' exists and is not a socket; remove it, or name another path")
    }

    @Test("of another process leaves the socket as it was")
    func inherited() throws {
        let folder = Folder()
        let listener = try Listener(unixSocket: folder.socket)
        let handed = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 0)
        let server = try Server(
            configuration: .varied(), responder: Echo(), listeners: [Listener(inherited: handed, named: "it")])
        #expect(server.addresses.first == .unix(path: folder.socket))
        let client = try RawClient(unixSocket: folder.socket)
        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readAnswer().body == "get /a ")
        server.stop(grace: .seconds(5))
        #expect(folder.mode() == S_IFSOCK | 0o660)
        // The connection waits for the socket's next user.
        let next = try RawClient(unixSocket: folder.socket)
        let again = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 0)
        let second = try Server(
            configuration: .varied(), responder: Echo(), listeners: [Listener(inherited: again, named: "it")])
        next.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try next.readAnswer().body == "get /b ")
        second.stop(grace: .seconds(5))
    }

    @Test("refuses a descriptor that is not a listening stream socket")
    func unusable() throws {
        func failure(_ descriptor: Int32) -> String? {
            do {
                _ = try Listener(inherited: descriptor, named: "it")
                return nil
            } catch {
                return error.description
            }
        }
        let file = unsafe open("/dev/null", O_RDONLY)
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { for descriptor in [file, datagrams, stream] { close(descriptor) } }
        #expect(failure(file) == "it is not a socket")
        #expect(failure(datagrams) == "it is not a stream socket; the .socket file needs ListenStream=")
        #expect(failure(stream) == "it is not listening; the .socket file needs Accept=no")
        #expect(failure(1_000_000) == "it is not open")
    }
}
