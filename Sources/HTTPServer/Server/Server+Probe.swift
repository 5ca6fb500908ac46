import Glibc
import Locking

extension Server {
    /// The number of threads that serve.
    public var threadCount: Int { service.configuration.threads }

    /// Opens a connection to one serving thread, which closes it as soon as it looks for work.
    ///
    /// No request is sent, so that the log has nothing of it.
    ///
    /// - Parameter thread: the number of the thread, from 0.
    /// - Returns: a descriptor, owned by the caller, that is readable when the thread has responded; nil if there is
    ///   none, because all connections are in use or the server has stopped.
    public func probe(thread: Int) -> Int32? {
        var pair: [Int32] = [-1, -1]
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, flags, 0, &pair) == 0 else { return nil }
        let own = pair[0]
        _ = shutdown(own, Int32(SHUT_WR))
        let isAdded = daemon.withLock { daemon in
            guard let lent = Server.numbered(pair[1], thread, of: threadCount) else { return false }
            guard daemon != nil else {
                close(lent)
                return false
            }
            return daemon?.add(lent) ?? false
        }
        if isAdded { return own }
        close(own)
        return nil
    }

    /// Replaces a descriptor by one whose number leads the library to a thread: it divides by their number.
    private static func numbered(_ descriptor: Int32, _ thread: Int, of count: Int) -> Int32? {
        var candidate = descriptor
        for _ in 0..<16 {
            let distance = Int32((thread - Int(candidate) % count + count) % count)
            if distance == 0 { return candidate }
            let next = fcntl(candidate, F_DUPFD_CLOEXEC, candidate + distance)
            close(candidate)
            guard next >= 0 else { return nil }
            candidate = next
        }
        // All near numbers of this thread are in use: another thread responds.
        return candidate
    }
}
