import Glibc
internal import Synchronization

/// The bytes of a document, read piece by piece at any offset: an open file or a block of memory.
///
/// A file is never mapped into memory. If a file is truncated while it is being read, a read returns fewer bytes,
/// whereas a mapping would cause SIGBUS.
public enum DocumentInput: Sendable {
    /// An open descriptor of a regular file, and the size of the file in bytes when it was opened. The caller closes
    /// the descriptor. The bytes read are added to the progress.
    case file(descriptor: Int32, size: Int, progress: ReadingProgress? = nil)
    /// Bytes in memory.
    case memory([UInt8])

    /// The number of bytes.
    public var size: Int {
        switch self {
        case .file(_, let size, _): size
        case .memory(let bytes): bytes.count
        }
    }

    /// The same bytes, without a progress to count them.
    public var uncounted: DocumentInput {
        if case .file(let descriptor, let size, _) = self { .file(descriptor: descriptor, size: size) } else { self }
    }

    /// Reads into `buffer` from `offset` on. Returns the number of bytes read, which is 0 only at the end.
    ///
    /// - Throws: `PropertyListError` with the system's reason if the file cannot be read (`pread`).
    public func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(PropertyListError) -> Int {
        switch self {
        case .memory(let bytes):
            let taken = min(max(bytes.count - offset, 0), buffer.count)
            guard taken > 0 else { return 0 }
            unsafe bytes.withUnsafeBytes { source in
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<offset + taken]))
            }
            return taken
        case .file(let descriptor, _, let progress):
            while true {
                let taken = unsafe pread(descriptor, buffer.baseAddress, buffer.count, offset)
                if taken >= 0 {
                    progress?.add(bytes: taken)
                    return taken
                }
                guard errno == EINTR else {
                    throw PropertyListError(
                        reason: "the file cannot be read: \(unsafe String(cString: strerror(errno)))")
                }
            }
        }
    }
}

/// The progress of reading a document, for another thread to show.
///
/// Only one thread counts, in steps of some kilobytes and some thousand items. Each step is a relaxed store.
public final class ReadingProgress: Sendable {
    private let byteCount = Atomic(0)
    private let itemCount = Atomic(0)

    public init() {}

    /// The number of bytes read; bytes read twice count twice.
    public var bytes: Int { byteCount.load(ordering: .relaxed) }

    /// The number of items built, rounded down.
    public var items: Int { itemCount.load(ordering: .relaxed) }

    /// The number of items that a builder counts at a time.
    public static let itemStep = 4_096

    /// Counts bytes.
    public func add(bytes: Int) { byteCount.store(self.bytes + bytes, ordering: .relaxed) }

    /// Counts items.
    public func add(items: Int) { itemCount.store(self.items + items, ordering: .relaxed) }

    /// Begins again at zero.
    public func reset() {
        byteCount.store(0, ordering: .relaxed)
        itemCount.store(0, ordering: .relaxed)
    }
}
