internal import Glibc

/// Requests pages of 2 MiB for a large block. With smaller pages, page faults would take most of the time for filling
/// the block.
public enum LargePages {
    /// The size of a large page on x86-64, and on AArch64 if normal pages have 4 KiB.
    private static let size = 2 << 20

    /// Asks the kernel for large pages (madvise(2), MADV_HUGEPAGE) for a block that will be written as a whole. Does
    /// nothing for a block of less than 8 MiB.
    ///
    /// This is only a hint: the kernel uses small pages if large pages are not available.
    public static func advise(_ block: UnsafeMutableRawBufferPointer) {
        guard let start = block.baseAddress, block.count >= 4 * size else { return }
        let first = unsafe start.alignedUp(toMultipleOf: size)
        let end = unsafe (start + block.count).alignedDown(toMultipleOf: size)
        _ = unsafe madvise(first, end - first, MADV_HUGEPAGE)
    }
}
