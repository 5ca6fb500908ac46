internal import Glibc

/// Which file stands at a path, and in which state: two equal identities mean that nothing needs to be read again.
public struct FileIdentity: Sendable, Hashable {
    public let device, inode: UInt64
    /// Bytes.
    public let size: Int
    /// When the content changed last, in nanoseconds since 1970 by the file system's clock.
    public let modified: Int64

    /// The identity of what stands at a path, symbolic links followed; nil where nothing can be found.
    public init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
