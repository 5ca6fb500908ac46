internal import Glibc

/// A small file that is read whole: a list of tokens, a certificate or its key.
public struct SmallFile: Sendable {
    /// The reason why a file cannot be read.
    public struct Unreadable: Error, Sendable, CustomStringConvertible {
        /// The reason, without a final full stop.
        public let description: String
    }

    /// The content.
    public let bytes: [UInt8]
    /// The file's state before it was read.
    public let stamp: FileStamp

    /// Reads the file. If the file grows meanwhile, the content is cut at `maximumBytes`.
    ///
    /// - Parameter clock: the clock for the time of reading. `stamp` derives `isSettled` from this time.
    /// - Throws: `Unreadable` if the file cannot be read, or is not a regular file of at most `maximumBytes`.
    public init(
        path: String, maximumBytes: Int, clock: FileStamp.Clock = FileStamp.systemClock
    ) throws(Unreadable) {
        // O_NONBLOCK, because opening a pipe would block the thread.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Unreadable(errno: errno) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Unreadable(errno: errno) }
        let identity = FileIdentity(status)
        guard identity.isRegular else { throw Unreadable(description: "it is not a regular file") }
        guard identity.size <= maximumBytes else {
            throw Unreadable(description: "it is larger than \(maximumBytes) bytes")
        }
        bytes = try Self.read(descriptor, atMost: maximumBytes)
        stamp = FileStamp(path: path, status: status, at: clock())
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
    fileprivate init(errno code: Int32) { self.init(description: "\(ErrorNumber(code))") }
}

/// The state of a file when it was read, for deciding whether it must be read again.
public struct FileStamp: Sendable {
    private let path: String
    private let identity: FileIdentity
    /// Whether a further change of the file would get another time: the last change was not within two seconds of
    /// reading.
    public let isSettled: Bool

    /// A clock, which returns the time since 1970 in UTC.
    public typealias Clock = @Sendable () -> Duration

    /// The clock of the system, which also stamps files.
    public static let systemClock: Clock = {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }

    /// - Parameters:
    ///   - path: the path of the file.
    ///   - status: the state of the file before it was read.
    ///   - now: the time when the file was read.
    init(path: String, status: stat, at now: Duration) {
        (self.path, identity) = (path, FileIdentity(status))
        let changed = Duration.seconds(status.st_ctim.tv_sec) + .nanoseconds(status.st_ctim.tv_nsec)
        isSettled = Self.isSettled(changedAt: changed, now: now)
    }

    /// Whether the file certainly still has the content that was read.
    public var isCurrent: Bool { isSettled && FileIdentity(path: path) == identity }

    /// Returns whether a change is more than two seconds before or after `now`.
    ///
    /// The clock of the file system may differ from the system's clock by any amount. The subtraction of durations
    /// cannot overflow.
    static func isSettled(changedAt changed: Duration, now: Duration) -> Bool {
        let difference = now - changed
        return difference > .seconds(2) || difference < .seconds(-2)
    }

    /// The permissions.
    public var mode: Int { Int(identity.mode & 0o777) }

    /// Whether all users can read the file, or users other than its owner can change it.
    public var isExposed: Bool { mode & 0o026 != 0 }
}
