import Glibc

/// The sole owner of a listening socket.
public final class Listener: Sendable {
    let descriptor: Int32
    /// The address that it listens on; the actual port if 0 was requested.
    public let address: BoundAddress
    /// The file of a Unix domain socket that this process created; nil for any other socket.
    private let file: SocketFile?
    /// Whether another process has the socket too, and listens on it again later.
    private let isShared: Bool

    init(_ descriptor: Int32, at address: BoundAddress, file: SocketFile? = nil, isShared: Bool = false) {
        (self.descriptor, self.address, self.file, self.isShared) = (descriptor, address, file, isShared)
        // Each connection inherits the option from its listening socket. A Unix domain socket has none, and little memory.
        var size = Listener.unsentBytes
        _ = unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &size, socklen_t(MemoryLayout<UInt32>.size))
    }

    /// How much of a response the kernel copies before it can be sent (`TCP_NOTSENT_LOWAT` of tcp(7)).
    ///
    /// Without it the kernel copies megabytes for a client that reads nothing, and other connections of the thread wait for
    /// that. What is on its way to a client that reads is not limited.
    private static let unsentBytes: UInt32 = 32 << 10

    deinit {
        file?.remove()
        close(descriptor)
    }

    /// Refuses new connections from now on; those to a shared socket wait for its next user.
    ///
    /// This descriptor and another one of the same socket become those of a socket on which nothing ever arrives, and
    /// the listening socket closes.
    func silence(_ other: Int32) {
        file?.remove()
        let flags = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let silent = socket(AF_UNIX, flags, 0)
        guard silent >= 0 else {
            if !isShared { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
            return
        }
        for number in [other, descriptor] { _ = dup2(silent, number) }
        close(silent)
    }

    /// How many connections may wait to be accepted.
    static let backlog: Int32 = 1024
}
