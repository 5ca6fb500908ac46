internal import CMalloc

/// How the C library's heap deals with trees that come and go; it serves the whole process.
enum HeapMemory {
    /// Blocks from this size on are mapped one by one, and so go back to the system when they are freed.
    ///
    /// Left alone, the library raises the bound to 32 MiB as it meets such blocks, and keeps what a load leaves.
    private static let mappedBytes: Int32 = 1 << 20

    /// To be called before the first load.
    static func prepare() { _ = mallopt(M_MMAP_THRESHOLD, mappedBytes) }

    /// Gives the pages back to the system that a load or a freed tree leaves between the blocks in use; milliseconds.
    static func giveBack() { _ = malloc_trim(0) }
}
