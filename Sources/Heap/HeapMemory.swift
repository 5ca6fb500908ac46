internal import CMalloc

/// Tunes the C library's heap, process-wide, for trees and large numbers of connections that come and go.
public enum HeapMemory {
    /// Blocks of at least this size are mapped individually, and so return to the system when they are freed.
    ///
    /// By default the library raises the threshold up to 32 MiB as large blocks are freed, and keeps a load's memory.
    private static let mappedBytes: Int32 = 1 << 20

    /// Sets the threshold (`mallopt(3)`); call it before the first load.
    public static func prepare() { _ = mallopt(M_MMAP_THRESHOLD, mappedBytes) }

    /// Returns unused pages between allocated blocks to the system (`malloc_trim(3)`).
    ///
    /// It takes milliseconds, during which other threads may wait to allocate.
    public static func giveBack() { _ = malloc_trim(0) }
}
