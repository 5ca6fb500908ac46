internal import Glibc

/// A small file, read whole: a list of tokens, a certificate or its key.
public struct SmallFile: Sendable {
    /// The file cannot be read; the reason.
    public struct Unreadable: Error, Sendable, CustomStringConvertible {
        /// The reason, without a final full stop.
        public let description: String
    }

    /// The content.
    public let bytes: [UInt8]
    /// The file's state before it was read.
    public let stamp: FileStamp

    /// - Parameter clock: what the time of the file's change is compared with.
    /// - Throws: `Unreadable` for anything but a regular file of at most so many bytes.
    public init(
        _ path: String, maximumBytes: Int, clock: FileStamp.Clock = FileStamp.systemClock
    ) throws(Unreadable) {
        // A pipe would keep the thread waiting.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Unreadable(errno: errno) }
        defer { _ = close(descriptor) }
        guard let stamp = FileStamp(descriptor: descriptor, clock: clock) else { throw Unreadable(errno: errno) }
        guard stamp.isRegular else { throw Unreadable(description: "it is not a regular file") }
        guard stamp.size <= maximumBytes else {
            throw Unreadable(description: "it is larger than \(maximumBytes) bytes")
        }
        bytes = try Self.read(descriptor, atMost: maximumBytes)
        self.stamp = stamp
    }

    private static func read(_ descriptor: Int32, atMost maximum: Int) throws(Unreadable) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: maximum)
        var count = 0
        while count < bytes.count {
            let taken = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(descriptor, bytes.baseAddress.map { unsafe $0 + count }, bytes.count - count)
            }
            if taken == 0 { break }
            if taken < 0 {
                if errno == EINTR { continue }
                throw Unreadable(errno: errno)
            }
            count += taken
        }
        return Array(bytes[..<count])
    }
}

extension SmallFile.Unreadable {
    fileprivate init(errno code: Int32) { self.init(description: unsafe String(cString: strerror(code))) }
}

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
