import Glibc

/// Returns pages that are kept for later and hold nothing to the system.
///
/// The system provides them again, zeroed, when they are touched (madvise(2), MADV_DONTNEED; glibc's `malloc_trim` does
/// the same within its heaps).
enum IdlePages {
    /// Returns the pages within a buffer that will be written before it is read again.
    static func release(within buffer: UnsafeRawBufferPointer) {
        guard let pages = unsafe wholePages(of: buffer) else { return }
        unsafe giveBack(pages)
    }

    /// Returns the pages within a buffer that hold only zeros; the contents stay the same.
    static func releaseZeros(within buffer: UnsafeRawBufferPointer) {
        guard let pages = unsafe wholePages(of: buffer) else { return }
        var first: Int?
        for offset in stride(from: 0, to: pages.count, by: size) {
            if unsafe isZero(UnsafeRawBufferPointer(rebasing: pages[offset..<(offset + size)])) {
                first = first ?? offset
            } else if let start = first.take() {
                unsafe giveBack(UnsafeRawBufferPointer(rebasing: pages[start..<offset]))
            }
        }
        if let first { unsafe giveBack(UnsafeRawBufferPointer(rebasing: pages[first...])) }
    }

    private static let size = sysconf(Int32(_SC_PAGESIZE))

    private static func wholePages(of buffer: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let base = buffer.baseAddress else { return nil }
        let start = Int(bitPattern: base)
        let lead = (size - start % size) % size
        let count = (buffer.count - lead) / size * size
        return count > 0 ? unsafe UnsafeRawBufferPointer(start: base + lead, count: count) : nil
    }

    private static func isZero(_ page: UnsafeRawBufferPointer) -> Bool {
        // The first eight bytes are zero, and each other byte equals the one eight before it.
        guard let start = page.baseAddress, unsafe start.load(as: UInt64.self) == 0 else { return false }
        return unsafe memcmp(start, start + 8, page.count - 8) == 0
    }

    private static func giveBack(_ pages: UnsafeRawBufferPointer) {
        _ = unsafe madvise(UnsafeMutableRawPointer(mutating: pages.baseAddress), pages.count, MADV_DONTNEED)
    }
}
