internal import CMalloc

/// How the C library's heap deals with trees and crowds of connections that come and go; it serves the whole process.
public enum HeapMemory {
    /// Blocks from this size on are mapped one by one, and so go back to the system when they are freed.
    ///
    /// Left alone, the library raises the bound to 32 MiB as it meets such blocks, and keeps what a load leaves.
    private static let mappedBytes: Int32 = 1 << 20

    /// To be called before the first load (`mallopt(3)`).
    public static func prepare() { _ = mallopt(M_MMAP_THRESHOLD, mappedBytes) }

    /// Gives the pages between the blocks in use back to the system (`malloc_trim(3)`).
    ///
    /// It takes milliseconds, in which other threads may have to wait for memory.
    public static func giveBack() { _ = malloc_trim(0) }
}
