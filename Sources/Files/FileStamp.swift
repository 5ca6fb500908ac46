internal import Glibc

/// What the system tells of a file that changes when the file does (`stat(2)`).
public struct FileStamp: Equatable, Sendable {
    private let device, inode: UInt64
    /// Bytes.
    public let size: Int
    private let modified, changed: Int64
    /// The permissions.
    public let mode: Int
    /// Whether it is a regular file.
    public let isRegular: Bool
    /// Whether the file was changed so long ago that a further change has another time.
    public private(set) var isSettled = false

    public static func == (one: FileStamp, other: FileStamp) -> Bool {
        (one.device, one.inode, one.size, one.modified, one.changed)
            == (other.device, other.inode, other.size, other.modified, other.changed)
    }

    /// The stamp of an open file; nil if the system has none.
    public init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The stamp of the file that a path leads to; nil if there is none.
    public init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        mode = Int(status.st_mode & 0o777)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        isSettled = Self.isSettled(changedAt: status.st_ctim, now: now)
    }

    /// Whether a change is more than two seconds away from a moment, before or after it.
    ///
    /// Both clocks may be wrong by any time, so no difference of the two is formed in nanoseconds.
    static func isSettled(changedAt changed: timespec, now: timespec) -> Bool {
        let (seconds, isFar) = now.tv_sec.subtractingReportingOverflow(changed.tv_sec)
        guard !isFar, seconds.magnitude <= 2 else { return true }
        return (seconds * 1_000_000_000 + now.tv_nsec - changed.tv_nsec).magnitude > 2_000_000_000
    }

    /// Whether all users can read the file, or others than its owner can change it.
    public var isExposed: Bool { mode & 0o026 != 0 }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
