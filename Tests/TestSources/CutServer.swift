import Foundation
import Glibc
import Locking

/// A way to a PostgreSQL server that breaks once: at one of the messages of its clients or of the server, all connections are
/// closed, and the message is lost. Later connections are as if nothing had happened.
public final class CutServer: Sendable {
    private struct State {
        var left: Int
        var open: [Int32] = []
    }

    /// The folder of its socket.
    public let folder: String
    private let server: String
    private let listener: Int32
    private let state: Guarded<State>

    /// - Parameter number: the number of the message at which it breaks, from 1.
    public init(to server: PostgresServer, at number: Int) throws {
        self.server = server.folder
        state = Guarded(State(left: number))
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("cut-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard unsafe Self.withAddress(in: folder, { unsafe bind(listener, $0, $1) }) == 0, listen(listener, 8) == 0
        else {
            throw PostgresServer.Failure(output: "no socket")
        }
        Foundation.Thread.detachNewThread { [weak self, listener] in
            while case let client = accept(listener, nil, nil), client >= 0 { self?.serve(client) }
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        do { try FileManager.default.removeItem(atPath: folder) } catch { print(error) }
    }

    /// Whether it has broken.
    public var hasCut: Bool { state.withLock { $0.left <= 0 } }

    private static func withAddress(
        in folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: "\(folder)/.s.PGSQL.5432".utf8)
        }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                unsafe body(general, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private func serve(_ client: Int32) {
        let other = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        _ = unsafe Self.withAddress(in: server) { unsafe connect(other, $0, $1) }
        state.withLock { $0.open += [client, other] }
        for (from, to) in [(client, other), (other, client)] {
            Foundation.Thread.detachNewThread { [state] in
                var bytes = [UInt8](repeating: 0, count: 1 << 16)
                while case let count = unsafe read(from, &bytes, bytes.count), count > 0 {
                    let isCut = state.withLock { state in
                        state.left -= 1
                        guard state.left == 0 else { return false }
                        for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
                        return true
                    }
                    guard !isCut, unsafe send(to, bytes, count, Int32(MSG_NOSIGNAL)) == count else { break }
                }
                shutdown(from, Int32(SHUT_RDWR))
                shutdown(to, Int32(SHUT_RDWR))
                // The second thread closes both.
                let isLast = state.withLock { state in
                    guard let place = state.open.firstIndex(of: from) else { return true }
                    state.open.remove(at: place)
                    return !state.open.contains(to)
                }
                if isLast {
                    close(from)
                    close(to)
                }
            }
        }
    }
}
