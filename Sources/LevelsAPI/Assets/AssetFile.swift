import Bytes
import DrilldownDates
import Files
import Glibc
import HTTPFields
import HTTPServer
import Levels
import Locking

/// An open file of the assets folder. A short file is read as a whole, so that its tag is the hash of its content.
final class AssetFile: Sendable {
    private let file: OpenFile
    /// The content of a short file; otherwise nil.
    let content: [UInt8]?
    /// The length in bytes.
    let length: Int

    /// The maximum length of a short file, in bytes.
    static let longestHeld = 64 << 10

    init(_ file: consuming OpenFile) {
        let size = Int(file.status.st_size)
        if size <= Self.longestHeld {
            var bytes = [UInt8](repeating: 0, count: size)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe Self.read(file.descriptor, into: $0, at: 0) }
            // The file may have been truncated after it was opened.
            content = Array(bytes.prefix(count))
            length = count
        } else {
            content = nil
            length = size
        }
        self.file = file
    }

    /// The strong entity tag. It is the hash of the content for a short file, and the hash of the length and of the
    /// time of the last change for a longer file.
    var entityTag: String {
        if let content { return EntityTag.of(ContentHash(of: content.span)) }
        var summary = ByteBuffer(capacity: 24)
        let changed = file.status.st_mtim
        for word in [length, changed.tv_sec, changed.tv_nsec] {
            summary.append(littleEndian: UInt64(truncatingIfNeeded: word))
        }
        return EntityTag.of(ContentHash(of: summary.span))
    }

    /// The time of the last change, or `now` if that is earlier (RFC 9110, section 8.8.2.1). Nil if HTTP cannot express
    /// the time of the change, because file systems can store times of any year.
    func lastModified(now: Int) -> HTTPDate? { HTTPDate(seconds: Int64(min(Int(file.status.st_mtim.tv_sec), now))) }

    /// Reads bytes from a position, and returns the number of bytes read. Returns 0 if the file has changed since it
    /// was opened.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) -> Int {
        var now = stat()
        guard unsafe fstat(file.descriptor, &now) == 0, now.st_size == file.status.st_size,
            now.st_mtim.tv_sec == file.status.st_mtim.tv_sec, now.st_mtim.tv_nsec == file.status.st_mtim.tv_nsec
        else { return 0 }
        return unsafe Self.read(file.descriptor, into: buffer, at: position)
    }

    /// Reads until the buffer is full or the file ends.
    private static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at position: Int) -> Int {
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

/// A body of parts of a file, with text between the parts. The file is read while the body is sent.
///
/// If the file changes during that time, the connection is cut, so that no client takes a mixture of two states for the
/// file.
final class AssetBody: BodyStream {
    enum Piece {
        case text([UInt8])
        case file(Range<Int>)

        var count: Int {
            switch self {
            case .text(let text): text.count
            case .file(let range): range.count
            }
        }
    }

    private let file: AssetFile
    private let pieces: [Piece]
    /// Held while the file is open.
    private let permit: OpenAssets.Permit
    private var number = 0
    /// The number of bytes of the current piece that have been sent.
    private var sent = 0

    init(file: AssetFile, pieces: [Piece], permit: OpenAssets.Permit) {
        self.file = file
        self.pieces = pieces
        self.permit = permit
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while number < pieces.count, sent == pieces[number].count {
            number += 1
            sent = 0
        }
        guard number < pieces.count else { return 0 }
        let count = min(buffer.count, pieces[number].count - sent)
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        switch pieces[number] {
        case .text(let text): unsafe room.copyBytes(from: text[sent..<sent + count])
        case .file(let range):
            guard unsafe file.read(into: room, at: range.lowerBound + sent) == count else { return -1 }
        }
        sent += count
        return count
    }
}

/// Counts the files that are being sent. Their number is limited, so that descriptors are left for connections and
/// reloads.
final class OpenAssets: Sendable {
    /// The right to keep one file open. The right ends when this object is released.
    final class Permit: Sendable {
        private let assets: OpenAssets

        fileprivate init(_ assets: OpenAssets) { self.assets = assets }

        deinit { assets.count.withLock { $0 -= 1 } }
    }

    private let count = Guarded(0)

    /// - Throws: `Problem` (503) if too many files are open.
    func permit() throws(Problem) -> Permit {
        let isAllowed = count.withLock { count in
            guard count < Server.openFileLimit else { return false }
            count += 1
            return true
        }
        guard isAllowed else { throw .tooManyFiles }
        return Permit(self)
    }
}
