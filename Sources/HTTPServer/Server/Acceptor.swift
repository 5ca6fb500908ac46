import Glibc
import Threads

/// The thread that accepts the connections of all sockets of a server except the first, and passes them to the daemon.
///
/// A daemon listens on only one socket. With this thread, all sockets share the threads, the limits and the counters of
/// one daemon.
final class Acceptor: Sendable {
    private let thread: LoopThread

    /// The time in milliseconds before the next attempt, if descriptors or places for connections are used up.
    private static let pause: Int64 = 50

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - sockets: the descriptors of the listening sockets, which must stay open until `stop`.
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
                // The room is checked after the wait: before it, the connection accepted last may not have been counted
                // yet.
                guard hasRoom() else { return bell.wait(milliseconds: Self.pause) }
                for socket in sockets where !Self.accept(socket, serve) { bell.wait(milliseconds: Self.pause) }
            }
        }
    }

    /// Ends the thread: no connection is accepted from now on.
    func stop() { thread.stop() }

    /// Accepts one connection, if a connection is waiting. Returns false if descriptors or memory are used up.
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
