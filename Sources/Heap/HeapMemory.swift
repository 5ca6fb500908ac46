internal import CMalloc
internal import Glibc

/// Tunes the C library's heap for trees and connections that come and go in large numbers.
public enum HeapMemory {
    /// Blocks of at least this size, in bytes, are mapped individually, and so return to the system when they are
    /// freed.
    ///
    /// By default, the library raises this threshold up to 32 MiB as large blocks are freed. It would then keep the
    /// memory that a load has used.
    private static let mappedBytes: Int32 = 1 << 20

    /// The maximum free memory, in bytes, that the library keeps at the end of a heap when blocks are freed.
    ///
    /// With the default of 128 KiB, each edit would return its buffers to the system and take them again.
    private static let keptBytes: Int32 = 4 << 20

    /// Whether the thresholds are set. The first access sets them, exactly once, on the first thread that needs them.
    ///
    /// If another allocator replaces the library's allocator, as in a sanitizer, the first call here initializes the
    /// library's heap. If two threads made that call at the same time, an assertion of the library would fail when the
    /// second thread ends, and would end the process.
    private static let isPrepared: Bool =
        mallopt(M_MMAP_THRESHOLD, mappedBytes) == 1 && mallopt(M_TRIM_THRESHOLD, keptBytes) == 1

    /// Sets the thresholds (`mallopt(3)`); call it before the first load.
    public static func prepare() { _ = isPrepared }

    // MARK: Reserve

    /// The size of the reserve: a free block of the first heap, with addresses but without memory. A thread whose own
    /// heap cannot grow uses the first heap, so small allocations still succeed when the system refuses new addresses.
    private static let reserveBytes = 64 << 20
    private static let isReserved: Bool = {
        guard isPrepared, mallopt(M_MMAP_MAX, 0) == 1 else { return false }
        defer { _ = mallopt(M_MMAP_MAX, 65_536) }
        let block = unsafe malloc(min(reserveBytes, MemoryBudget.addressLimit / 16))
        // A permanent block behind the free block prevents the return of the free block to the system.
        let end = unsafe malloc(64)
        unsafe free(block)
        return unsafe block != nil && end != nil
    }()

    /// Sets up the reserve; call it on the first thread, before others start.
    public static func prepareReserve() {
        _ = hasFewHeaps
        _ = isReserved
    }

    /// Whether all threads share two heaps, because addresses are scarce from the start.
    private static let hasFewHeaps = MemoryBudget.addressLimit < 4 << 30 && mallopt(M_ARENA_MAX, 2) == 1

    /// The addresses that a new thread's own heap needs: 64 MiB, aligned to 64 MiB. Without these addresses, the
    /// thread's first allocation ends the process.
    private static let newHeapBytes = 128 << 20

    /// Whether enough addresses are left for a new thread.
    ///
    /// - Parameter stackBytes: nil for the default size.
    public static func hasRoomForThread(stackBytes: Int?) -> Bool {
        let limit = MemoryBudget.addressLimit
        guard limit < .max, !hasFewHeaps else { return true }
        return limit - ProcessSize.now.addresses >= newHeapBytes + (stackBytes ?? 8 << 20)
    }

    /// The free bytes within all heaps, less half of the reserve. Takes time in proportion to the number of free
    /// blocks.
    static var freeBytesBeyondReserve: Int { Int(mallinfo2().fordblks) - (isReserved ? reserveBytes / 2 : 0) }

    /// The bytes of all allocated blocks (`mallinfo2(3)`); 0 if another allocator replaces the library's.
    public static var usedBytes: Int {
        let info = mallinfo2()
        return Int(info.uordblks + info.hblkhd)
    }

    /// Returns unused pages between allocated blocks to the system (`malloc_trim(3)`).
    ///
    /// This takes milliseconds. Other threads may wait to allocate during this time.
    public static func giveBack() {
        prepare()
        _ = malloc_trim(0)
    }
}
