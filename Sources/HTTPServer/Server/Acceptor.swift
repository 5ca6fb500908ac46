import Glibc
import Locking
import Synchronization
import Threads

/// The thread that accepts connections at the further sockets of a server, for whose daemon they are like its own.
///
/// So all sockets share the threads, the limits of connections and the counters of one daemon, which itself listens on one.
final class Acceptor: Sendable {
    private let sockets: [Int32]
    private let bell: Wakeup
    private let isStopping = Atomic<Bool>(false)
    private let thread = Guarded<Thread?>(nil)

    /// How long to wait if the process has no descriptor left, or the server no room for a connection.
    private static let pause: Int64 = 50

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - sockets: descriptors of listening sockets, open until `stop`.
    ///   - hasRoom: whether the server has room for a connection.
    ///   - serve: has the daemon serve a connection, which it owns from then on.
    init(
        _ sockets: [Int32], hasRoom: @escaping @Sendable () -> Bool, serve: @escaping @Sendable (Int32) -> Void
    ) throws(ServerError) {
        self.sockets = sockets
        bell = try ServerError.wrapping { () throws(SystemCallError) in try Wakeup() }
        let started = try ServerError.wrapping { () throws(SystemCallError) in
            try Thread(name: "acceptor") { self.run(hasRoom, serve) }
        }
        thread.withLock { $0 = started }
    }

    /// Ends the thread: no connection is accepted from now on.
    func stop() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        isStopping.store(true, ordering: .releasing)
        bell.signal()
        thread.join()
    }

    private func run(_ hasRoom: () -> Bool, _ serve: (Int32) -> Void) {
        while !isStopping.load(ordering: .acquiring) {
            var waits = WaitSet()
            waits.add(bell.descriptor)
            for socket in sockets { waits.add(socket) }
            waits.wait()
            // Asked after the wait, because the connection that was accepted last may not have counted before it.
            guard hasRoom() else {
                bell.wait(milliseconds: Self.pause)
                continue
            }
            for socket in sockets where !accept(socket, serve) { bell.wait(milliseconds: Self.pause) }
        }
    }

    /// Accepts one connection if there is one; false if the process has no descriptor or memory for it.
    private func accept(_ socket: Int32, _ serve: (Int32) -> Void) -> Bool {
        let descriptor = Glibc.accept(socket, nil, nil)
        guard descriptor < 0 else {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            serve(descriptor)
            return true
        }
        return ![EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
    }
}
