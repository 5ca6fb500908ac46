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
