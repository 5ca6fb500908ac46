import Glibc
import Heap

/// A block of zeroed memory. A lack of memory is an error, whereas `allocate` would end the process.
@safe
struct MemoryBlock: ~Copyable {
    private let allocation: UnsafeMutableRawPointer
    /// The first byte; at the beginning of a cache line.
    let start: UnsafeMutableRawPointer

    private static var cacheLine: Int { 64 }

    init(bytes: Int) throws(PropertyListError) {
        guard MemoryBudget.hasRoom(forBuffer: bytes), let allocation = unsafe calloc(1, bytes + Self.cacheLine) else {
            throw .outOfMemory
        }
        unsafe self.allocation = allocation
        unsafe start = allocation.alignedUp(toMultipleOf: Self.cacheLine)
    }

    deinit { unsafe free(allocation) }
}
