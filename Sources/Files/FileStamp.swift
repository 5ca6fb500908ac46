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

    /// A clock: returns the time since 1970 in UTC.
    public typealias Clock = @Sendable () -> Duration

    /// The clock of the system, which gives files their times.
    public static let systemClock: Clock = {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }

    /// The stamp of an open file; nil if the system has none.
    ///
    /// - Parameter clock: what the time of the change is compared with.
    public init?(descriptor: Int32, clock: Clock = systemClock) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status, at: clock())
    }

    /// The stamp of the file that a path leads to; nil if there is none.
    public init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status, at: Self.systemClock())
    }

    private init(_ status: stat, at now: Duration) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        mode = Int(status.st_mode & 0o777)
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isSettled = Self.isSettled(
            changedAt: .seconds(status.st_ctim.tv_sec) + .nanoseconds(status.st_ctim.tv_nsec), now: now)
    }

    /// Whether a change is more than two seconds away from a moment, before or after it.
    ///
    /// Both clocks may be wrong by any time: the difference of two durations in seconds of 64 bits never overflows.
    static func isSettled(changedAt changed: Duration, now: Duration) -> Bool {
        let difference = now - changed
        return difference > .seconds(2) || difference < .seconds(-2)
    }

    /// Whether all users can read the file, or others than its owner can change it.
    public var isExposed: Bool { mode & 0o026 != 0 }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
