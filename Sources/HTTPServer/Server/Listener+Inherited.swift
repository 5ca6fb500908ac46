import Glibc

extension Listener {
    /// Takes over a listening socket that another process opened and keeps, such as a service manager.
    ///
    /// It is not removed at the end, and connections that arrive later wait for its next user.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor of the socket, which this value owns from now on.
    ///   - name: how a message names the socket.
    /// - Throws: `ServerError` if it is not a listening stream socket of the internet or of this machine.
    public convenience init(inherited descriptor: Int32, named name: String) throws(ServerError) {
        if let fault = Listener.fault(of: descriptor) { throw .unusableSocket("\(name) \(fault)") }
        guard let address = BoundAddress(of: descriptor) else {
            throw .unusableSocket("\(name) is neither an internet socket nor a Unix domain socket")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        self.init(descriptor, at: address, isShared: true)
    }

    /// Why a socket is not one to listen on; nil if it is.
    private static func fault(of descriptor: Int32) -> String? {
        guard let type = option(SO_TYPE, of: descriptor) else {
            return errno == ENOTSOCK ? "is not a socket" : "is not open"
        }
        guard type == Int32(SOCK_STREAM.rawValue) else {
            return "is not a stream socket; the .socket file needs ListenStream="
        }
        guard option(SO_ACCEPTCONN, of: descriptor) == 1 else {
            return "is not listening; the .socket file needs Accept=no"
        }
        return nil
    }

    private static func option(_ option: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
    }
}
