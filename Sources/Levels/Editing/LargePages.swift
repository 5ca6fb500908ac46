internal import Glibc

/// Asking for pages of 2 MiB under a large block, since most of the time to fill one goes into its pages.
enum LargePages {
    /// The size of such a page on x86-64, and on AArch64 with pages of 4 KiB.
    private static let size = 2 << 20

    /// Tells the kernel that a block will be written as a whole (madvise(2), MADV_HUGEPAGE), if it is large.
    ///
    /// Nothing depends on it: where the kernel has none to give, it gives small ones.
    static func advise(_ block: UnsafeMutableRawBufferPointer) {
        guard let start = block.baseAddress, block.count >= 4 * size else { return }
        let first = unsafe start.alignedUp(toMultipleOf: size)
        let end = unsafe (start + block.count).alignedDown(toMultipleOf: size)
        _ = unsafe madvise(first, end - first, MADV_HUGEPAGE)
    }
}
