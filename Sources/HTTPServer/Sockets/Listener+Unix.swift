import Files
import Glibc
import Threads

extension Listener {
    /// Creates a Unix domain socket that its user and its group may connect to, and listens on it.
    ///
    /// A socket that a killed process left behind is replaced.
    ///
    /// - Parameter path: the path of the socket, of at most 107 bytes.
    /// - Throws: `ServerError` if another program listens on the socket, or the socket cannot be created.
    public convenience init(unixSocket path: String) throws(ServerError) {
        let address = try UnixAddress(path)
        // The lock lets one process at a time check whether the socket is in use, remove it, and listen on a socket of
        // its own.
        let folder = LockedFolder(of: path)
        let descriptor = try Listener.listening(at: address)
        guard let file = SocketFile(path) else {
            close(descriptor)
            throw .unusableSocket("the socket '\(path)' was removed while it was created")
        }
        self.init(descriptor: descriptor, at: .unix(path: path), file: file)
        _ = consume folder
    }

    private static func listening(at address: UnixAddress) throws(ServerError) -> Int32 {
        let descriptor = try UnixAddress.socket()
        var code = address.bind(descriptor)
        if code == EADDRINUSE {
            do {
                try address.removeStale()
            } catch {
                close(descriptor)
                throw error
            }
            code = address.bind(descriptor)
        }
        if code == 0, !SocketFile.restrict(address.path) || listen(descriptor, backlog) != 0 {
            code = errno
            unsafe unlink(address.path)
        }
        guard code == 0 else {
            close(descriptor)
            throw address.failure(code)
        }
        return descriptor
    }
}

/// The address of a Unix domain socket in the file system.
private struct UnixAddress {
    let path: String

    /// The maximum size in bytes of a path in `sun_path`, without the zero byte at the end.
    private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    init(_ path: String) throws(ServerError) {
        guard path.utf8.count <= Self.longestPath else {
            throw .unusableSocket(
                "the path of the socket has \(path.utf8.count) bytes, and the system allows \(Self.longestPath): \(path)"
            )
        }
        self.path = path
    }

    static func socket() throws(ServerError) -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Socket.streamFlags, 0)
        guard descriptor >= 0 else { throw .system("socket", errno: errno) }
        return descriptor
    }

    /// Creates the socket's file; returns 0, or the error number.
    func bind(_ descriptor: Int32) -> Int32 {
        // Linux gives the file the mode of the socket without the bits of the umask. So the file never has more
        // permissions than `SocketFile.mode`.
        guard fchmod(descriptor, SocketFile.mode) == 0 else { return errno }
        return unsafe perform { unsafe Glibc.bind(descriptor, $0, $1) }
    }

    /// Removes a socket on which no process listens.
    ///
    /// - Throws: `ServerError` if a process listens on the socket, or the file is not a socket.
    func removeStale() throws(ServerError) {
        guard SocketFile(path) != nil else {
            throw .unusableSocket("'\(path)' exists and is not a socket; remove it, or name another path")
        }
        let client = try Self.socket()
        defer { close(client) }
        // EAGAIN also shows that a process listens: its queue of connections is full.
        guard unsafe perform({ unsafe connect(client, $0, $1) }) == ECONNREFUSED else { throw .socketInUse(path: path) }
        unsafe unlink(path)
    }

    /// The error for a socket that cannot be created. If the folder is missing, the error names a remedy.
    ///
    /// - Parameter code: the error number.
    func failure(_ code: Int32) -> ServerError {
        let folder = folderOfSocket(path)
        let reason =
            code == ENOENT
            ? "the folder '\(folder)' does not exist; create it, or name another path"
            : SystemCallError.reason(code)
        return .unusableSocket("the socket '\(path)' cannot be created: \(reason)")
    }

    private func perform(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return unsafe withUnsafePointer(to: &address) {
            let raw = unsafe UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self)
            return unsafe call(raw, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
        }
    }
}

struct SocketFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Read and write for its user and its group.
    static let mode: mode_t = 0o660

    /// Nil if the path does not lead to a socket.
    init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        (self.path, device, inode) = (path, status.st_dev, status.st_ino)
    }

    /// Restores the mode bits of the new file that the umask removed. Returns false, with `errno`, on failure.
    static func restrict(_ path: String) -> Bool {
        unsafe fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Removes the file, unless another file has replaced it.
    func remove() {
        guard let now = SocketFile(path), now.device == device, now.inode == inode else { return }
        unsafe unlink(path)
    }
}

/// A lock on a folder, which one process at a time holds (flock(2)). A folder that cannot be read is not locked.
private struct LockedFolder: ~Copyable {
    private let descriptor: Int32

    /// Locks the folder of a path, waiting for other processes.
    init(of path: String) {
        descriptor = unsafe open(folderOfSocket(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { while flock(descriptor, LOCK_EX) != 0, errno == EINTR {} }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

/// The folder in a socket's path; `.` if the path lacks a slash.
private func folderOfSocket(_ path: String) -> String {
    guard let slash = path.lastSlash else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}
