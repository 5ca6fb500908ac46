internal import Glibc

/// Requests pages of 2 MiB for a large block, because page faults take most of the time to fill one.
enum LargePages {
    /// The size of such a page on x86-64, and on AArch64 with pages of 4 KiB.
    private static let size = 2 << 20

    /// Tells the kernel that a block will be written as a whole (madvise(2), MADV_HUGEPAGE), if it is large.
    ///
    /// This is only a hint: if the kernel has no large pages, it uses small ones.
    static func advise(_ block: UnsafeMutableRawBufferPointer) {
        guard let start = block.baseAddress, block.count >= 4 * size else { return }
        let first = unsafe start.alignedUp(toMultipleOf: size)
        let end = unsafe (start + block.count).alignedDown(toMultipleOf: size)
        _ = unsafe madvise(first, end - first, MADV_HUGEPAGE)
    }
}
