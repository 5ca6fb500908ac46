public import Glibc

/// The file at a path and its state. If two identities are equal, the file need not be read again.
public struct FileIdentity: Sendable, Hashable {
    /// The numbers of the file system and of the file in it (inode(7)).
    public let device, inode: UInt64
    /// The size in bytes.
    public let size: Int
    /// The last change of the content, in nanoseconds since 1970 by the file system's clock.
    public let modified: Int64
    /// The last change of the content or an attribute (owner, permissions, names, `modified` itself), in nanoseconds
    /// since 1970 by the file system's clock.
    public let changed: Int64
    /// Kind and permissions (inode(7)).
    public let mode: UInt32

    /// Whether the file is a regular file.
    public var isRegular: Bool { mode & S_IFMT == S_IFREG }

    /// Reads the identity of the file at a path, following symbolic links; nil if `stat(2)` fails.
    public init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the identity of the file at a path, without following a symbolic link; nil if `fstatat(2)` fails.
    ///
    /// - Parameter folder: the descriptor of the folder to which a relative path is relative.
    public init?(named path: String, in folder: Int32 = AT_FDCWD) {
        var status = stat()
        guard unsafe fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the identity of an open file.
    public init(ofOpen descriptor: Int32) {
        var status = stat()
        _ = unsafe fstat(descriptor, &status)
        self.init(status)
    }

    /// Creates the identity of a file from its state in `stat(2)`.
    public init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        mode = status.st_mode
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Returns whether two identities are of the same file, whose content may differ.
    public func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

    /// Returns whether two identities are of the same file, with the same size and the same time of the last change of
    /// the content. The attributes of the file may differ.
    public func isSameContent(as other: FileIdentity) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified
    }
}
