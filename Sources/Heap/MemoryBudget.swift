internal import Glibc
internal import Synchronization

/// The memory that the process may still take. Check the budget before a large allocation.
///
/// Swift ends the process if an allocation fails. Large allocations are therefore refused here while memory is left for
/// small allocations. That memory is the margin of the limits and the reserve of the heap.
///
/// There are two limits. The limit on the memory in use is an option or the limit of the control group; it is set at
/// the start. The limit on addresses (`ulimit -v`) is kept by the system, and may change at any time.
public enum MemoryBudget {
    /// The limit on the memory in use, in bytes; `Int.max` without a limit.
    private static let limit = Atomic<Int>(.max)
    /// The bytes reserved by work in progress.
    private static let reserved = Atomic<Int>(0)
    /// Whether less than the margin was left at the last check of `left`.
    private static let tight = Atomic<Bool>(false)

    /// A buffer that grows by less than this number of bytes is not checked.
    private static let smallGrowth = 64 << 10
    /// The maximum margin: the memory left for small allocations.
    private static let mostMargin = 32 << 20
    private static let leastMargin = 4 << 20

    /// Sets the limit on the memory in use, in bytes; call it before the first load.
    public static func setLimit(_ bytes: Int) { limit.store(bytes, ordering: .relaxed) }

    /// Whether little memory was left at the last check. If so, do not keep anything that can be made again.
    public static var isTight: Bool { tight.load(ordering: .relaxed) }

    // MARK: Questions

    /// Whether a number of bytes can be allocated now. Reservations are not subtracted, so the answer also holds for
    /// work that has reserved memory.
    public static func hasRoom(for bytes: Int) -> Bool { bytes <= left }

    /// Whether a buffer can grow by a number of bytes. A buffer survives a failed allocation. Free memory within the
    /// heap therefore counts, too, even if it is fragmented.
    public static func hasRoom(forBuffer growth: Int) -> Bool {
        guard growth >= smallGrowth else { return true }
        return growth <= left || growth <= HeapMemory.freeBytesBeyondReserve
    }

    /// Whether a body of a number of bytes can be kept until a client has read the body. Can be false only for a large
    /// body while memory is tight.
    public static func hasRoom(forBody bytes: Int) -> Bool {
        guard isTight, bytes > smallBody else { return true }
        return bytes <= left || bytes <= HeapMemory.freeBytesBeyondReserve
    }

    /// The size in bytes up to which a body is always kept. Most problems, and most answers about the service itself,
    /// are smaller.
    private static let smallBody = 4 << 10

    /// The number of buffers on the calling thread that could not grow so far. Work that fills many buffers compares
    /// the number before and after.
    public static var refusals: Int { unsafe Int(bitPattern: pthread_getspecific(refusalCount)) }

    /// Notes that a buffer could not grow.
    public static func noteRefusal() {
        unsafe pthread_setspecific(refusalCount, UnsafeRawPointer(bitPattern: refusals + 1))
    }

    /// The key under which each thread keeps its `refusals`. The value is the number itself in place of a pointer.
    private static let refusalCount: pthread_key_t = {
        var key = pthread_key_t()
        _ = unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// Reserves memory for work that needs much memory. The reservation ends when the returned object is released.
    ///
    /// - Returns: nil if the memory that is left does not suffice for all reservations.
    public static func reserve(_ bytes: Int) -> MemoryReservation? {
        let all = reserved.add(bytes, ordering: .relaxed).newValue
        guard all <= left else {
            reserved.subtract(bytes, ordering: .relaxed)
            return nil
        }
        return MemoryReservation(bytes)
    }

    fileprivate static func release(_ bytes: Int) { reserved.subtract(bytes, ordering: .relaxed) }

    /// The bytes left beyond the margin, by the stricter of the two limits; negative if less than the margin is left.
    /// Updates `isTight`. Takes about a microsecond if a limit is set.
    public static var left: Int {
        let (memory, addresses) = (limit.load(ordering: .relaxed), addressLimit)
        guard memory < .max || addresses < .max else {
            if isTight { tight.store(false, ordering: .relaxed) }
            return .max
        }
        let left = left(of: memory, and: addresses, using: .now)
        if isTight != (left < 0) { tight.store(left < 0, ordering: .relaxed) }
        return left
    }

    /// The bytes left for given limits and use; never overflows.
    static func left(of memory: Int, and addresses: Int, using use: ProcessSize) -> Int {
        min(
            memory == .max ? .max : memory - margin(of: memory) - use.resident,
            addresses == .max ? .max : addresses - margin(of: addresses) - use.addresses)
    }

    private static func margin(of limit: Int) -> Int { min(max(limit / 16, leastMargin), mostMargin) }

    /// The limit on addresses (setrlimit(2), `RLIMIT_AS`); `Int.max` without a limit.
    public static var addressLimit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    /// The reason for a refusal: a sentence without the final full stop.
    ///
    /// - Parameter bytes: the memory needed.
    public static func shortage(of bytes: Int) -> String {
        func megabytes(_ bytes: Int) -> Int { max(0, bytes) >> 20 }
        let left = left
        return
            "it needs about \(megabytes(bytes + (1 << 20) - 1)) MiB of memory, of which \(megabytes(left)) MiB are left;"
            + " raise the limit (--max-memory, or that of the service manager)"
    }
}

/// Memory that work in progress may take; the reservation ends with this object.
public final class MemoryReservation: Sendable {
    private let bytes: Int

    fileprivate init(_ bytes: Int) { self.bytes = bytes }

    deinit { MemoryBudget.release(bytes) }
}

/// The memory of the process as the system counts it (proc(5), statm), in bytes.
struct ProcessSize {
    /// All addresses in use, with or without memory behind them.
    var addresses = 0
    var resident = 0

    /// The file is kept open, because it is read often, even when no descriptors are left.
    private static let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    private static let pageBytes = sysconf(Int32(_SC_PAGESIZE))

    /// The current size; zeros if it cannot be read.
    static var now: ProcessSize {
        var text = InlineArray<64, UInt8>(repeating: 0)
        var span = text.mutableSpan
        let count = unsafe span.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
        return ProcessSize(pages: text.span.extracting(0..<max(count, 0)))
    }

    /// Reads the first two numbers of pages, each followed by a space.
    init(pages text: Span<UInt8>) {
        var (field, number) = (0, 0)
        for index in text.indices where field < 2 {
            let byte = text[index]
            if byte >= 0x30, byte <= 0x39 {
                number = number &* 10 &+ Int(byte - 0x30)
            } else {
                if field == 0 { addresses = number &* Self.pageBytes } else { resident = number &* Self.pageBytes }
                (field, number) = (field + 1, 0)
            }
        }
    }

    init(addresses: Int, resident: Int) { (self.addresses, self.resident) = (addresses, resident) }
}
