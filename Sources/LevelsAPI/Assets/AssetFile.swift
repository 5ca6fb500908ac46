import Bytes
import Files
import Glibc
import HTTPFields
import Levels

/// An open file of the assets folder. A short one is read at once, so that its tag is that of its content.
final class AssetFile: Sendable {
    private let file: OpenFile
    /// The content of a short file; nil for any other.
    let content: [UInt8]?
    /// In bytes.
    let length: Int

    /// The length of the longest file that is held in memory, in bytes.
    static let longestHeld = 64 << 10

    init(_ file: consuming OpenFile) {
        let size = Int(file.status.st_size)
        if size <= Self.longestHeld {
            var bytes = [UInt8](repeating: 0, count: size)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe Self.read(file.descriptor, into: $0, at: 0) }
            // A file that was cut meanwhile is as long as what was read.
            content = Array(bytes.prefix(count))
            length = count
        } else {
            content = nil
            length = size
        }
        self.file = file
    }

    /// The strong tag: the hash of a short file's content; else that of its length and of the time of its last change.
    var entityTag: String {
        if let content { return EntityTag.of(ContentHash(of: content.span)) }
        var summary = ByteBuffer(capacity: 24)
        let changed = file.status.st_mtim
        for word in [length, changed.tv_sec, changed.tv_nsec] {
            summary.append(littleEndian: UInt64(truncatingIfNeeded: word))
        }
        return EntityTag.of(ContentHash(of: summary.span))
    }

    /// When the file was last changed, but not later than now (RFC 9110, section 8.8.2.1); nil if that is not a date of
    /// HTTP, because a file system can hold times of any year.
    func lastModified(now: Int) -> HTTPDate? { HTTPDate(seconds: min(Int(file.status.st_mtim.tv_sec), now)) }

    /// Reads bytes from a position; returns their number, which is 0 if the file is not as it was when it was opened.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) -> Int {
        var now = stat()
        guard unsafe fstat(file.descriptor, &now) == 0, now.st_size == file.status.st_size,
            now.st_mtim.tv_sec == file.status.st_mtim.tv_sec, now.st_mtim.tv_nsec == file.status.st_mtim.tv_nsec
        else { return 0 }
        return unsafe Self.read(file.descriptor, into: buffer, at: position)
    }

    /// Reads until the buffer is full or the file ends.
    private static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at position: Int
    ) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let read = unsafe pread(descriptor, rest.baseAddress, rest.count, position + count)
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { break }
            count += read
        }
        return count
    }
}
