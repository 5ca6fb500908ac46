internal import CMalloc
internal import Glibc

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

    // MARK: Reserve

    /// A free block of the first heap, which has addresses but no memory behind it. Every thread whose own heap cannot
    /// grow turns to the first one, so that small allocations go on succeeding when the system refuses new addresses.
    private static let reserveBytes = 64 << 20
    private static let isReserved: Bool = {
        guard isPrepared, mallopt(M_MMAP_MAX, 0) == 1 else { return false }
        defer { _ = mallopt(M_MMAP_MAX, 65_536) }
        let block = unsafe malloc(min(reserveBytes, MemoryBudget.addressLimit / 16))
        // A block behind it, which stays, keeps the free one from being returned to the system.
        let end = unsafe malloc(64)
        unsafe free(block)
        return unsafe block != nil && end != nil
    }()

    /// Sets up the reserve; call it on the first thread, before there are others.
    public static func prepareReserve() {
        _ = hasFewHeaps
        _ = isReserved
    }

    /// Whether all threads share two heaps, because addresses are scarce from the start.
    private static let hasFewHeaps = MemoryBudget.addressLimit < 4 << 30 && mallopt(M_ARENA_MAX, 2) == 1

    /// What the library needs to give a new thread its own heap: 64 MiB at a multiple of that. It does not turn to other
    /// heaps if that fails, and then the thread's first allocation ends the process.
    private static let newHeapBytes = 128 << 20

    /// Whether there are addresses for a new thread.
    ///
    /// - Parameter stackBytes: nil for the usual size.
    public static func hasRoomForThread(stackBytes: Int?) -> Bool {
        let limit = MemoryBudget.addressLimit
        guard limit < .max, !hasFewHeaps else { return true }
        return limit - ProcessSize.now.addresses >= newHeapBytes + (stackBytes ?? 8 << 20)
    }

    /// The free bytes within all heaps, without half of the reserve. It takes the time to look at all free blocks.
    static var freeBytesBeyondReserve: Int { Int(mallinfo2().fordblks) - (isReserved ? reserveBytes / 2 : 0) }

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
