import Glibc
import Threads

/// The thread that accepts connections at all sockets of a server but the first, and passes them to its daemon.
///
/// So all sockets share the threads, the limits and the counters of one daemon, which can listen on only one.
final class Acceptor: Sendable {
    private let thread: LoopThread

    /// The wait if descriptors or places for connections are used up, in milliseconds.
    private static let pause: Int64 = 50

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - sockets: descriptors of listening sockets, open until `stop`.
    ///   - hasRoom: whether the server has room for a connection.
    ///   - serve: passes the descriptor of a connection to the daemon, which owns it from then on.
    init(
        sockets: [Int32], hasRoom: @escaping @Sendable () -> Bool, serve: @escaping @Sendable (Int32) -> Void
    ) throws(ServerError) {
        thread = try ServerError.wrapping { () throws(SystemCallError) in
            let bell = try Wakeup()
            return try LoopThread(name: "acceptor", bell: bell) {
                var waits = WaitSet()
                for descriptor in [bell.descriptor] + sockets { waits.add(descriptor) }
                waits.wait()
                // Called after the wait, because the last accepted connection may not have been counted before.
                guard hasRoom() else { return bell.wait(milliseconds: Self.pause) }
                for socket in sockets where !Self.accept(socket, serve) { bell.wait(milliseconds: Self.pause) }
            }
        }
    }

    /// Ends the thread: no connection is accepted from now on.
    func stop() { thread.stop() }

    /// Accepts one connection, if any; false if descriptors or memory are used up.
    private static func accept(_ socket: Int32, _ serve: (Int32) -> Void) -> Bool {
        let descriptor = Glibc.accept(socket, nil, nil)
        guard descriptor < 0 else {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            serve(descriptor)
            return true
        }
        return ![EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
    }
}
