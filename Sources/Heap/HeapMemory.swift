internal import CMalloc

/// Tunes the C library's heap, process-wide, for trees and large numbers of connections that come and go.
public enum HeapMemory {
    /// Blocks of at least this size are mapped individually, and so return to the system when they are freed.
    ///
    /// By default the library raises the threshold up to 32 MiB as large blocks are freed, and keeps a load's memory.
    private static let mappedBytes: Int32 = 1 << 20

    /// How much free memory at the end of a heap is kept when blocks are freed.
    ///
    /// By default it is 128 KiB: each edit would return its buffers to the system, and take them again.
    private static let keptBytes: Int32 = 4 << 20

    /// Sets the thresholds exactly once, on the first thread that needs them.
    ///
    /// If another allocator replaces the library's, as a sanitizer's does, the first call here initializes the
    /// library's heap. Two threads that initialize it at once both count as users of the first arena, which counts one;
    /// when the second thread ends, an assertion of the library then ends the process.
    private static let isPrepared: Bool =
        mallopt(M_MMAP_THRESHOLD, mappedBytes) == 1 && mallopt(M_TRIM_THRESHOLD, keptBytes) == 1

    /// Sets the thresholds (`mallopt(3)`); call it before the first load.
    public static func prepare() { _ = isPrepared }

    /// The bytes of all allocated blocks (`mallinfo2(3)`); 0 if another allocator replaces the library's.
    public static var usedBytes: Int {
        let info = mallinfo2()
        return Int(info.uordblks + info.hblkhd)
    }

    /// Returns unused pages between allocated blocks to the system (`malloc_trim(3)`).
    ///
    /// It takes milliseconds, during which other threads may wait to allocate.
    public static func giveBack() {
        prepare()
        _ = malloc_trim(0)
    }
}
