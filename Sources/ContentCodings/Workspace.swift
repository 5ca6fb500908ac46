import Glibc
import Locking

/// Memory for the tables of one encoder at a time, used again for the next.
///
/// Brotli's table for a short body is 1 MiB, of which a few thousand places are touched: fresh from the system each of
/// its pages is a fault, and those took fifteen times as long as the coding itself (decision 12).
///
/// Sendable although unchecked, since whoever takes it has it alone until it is given back.
@safe
final class Workspace: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private var used = 0

    private static let idle = Guarded<[Workspace]>([])
    /// More are only needed while more threads than this code at once.
    private static let mostIdle = 8
    /// Bodies of up to 50 KiB need no more; of larger ones the rest is allocated. Only what is touched is resident.
    private static let bytes = 2 << 20
    /// Enough for whatever the libraries keep.
    private static let alignment = 64

    private init() { unsafe memory = .allocate(byteCount: Self.bytes, alignment: Self.alignment) }

    deinit { unsafe memory.deallocate() }

    static func take() -> Workspace { idle.withLock { $0.popLast() } ?? Workspace() }

    /// To be called once nothing in it is used any more.
    func giveBack() {
        used = 0
        Self.idle.withLock { if $0.count < Self.mostIdle { $0.append(self) } }
    }

    /// Memory that is not cleared, from the heap where there is no more here.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        let size = (count + Self.alignment - 1) & -Self.alignment
        guard unsafe size <= memory.count - used else { return unsafe malloc(count) }
        defer { used += size }
        return unsafe memory.baseAddress?.advanced(by: used)
    }

    /// What is its own it has again when it is given back.
    func free(_ block: UnsafeMutableRawPointer?) {
        guard let block = unsafe block, let start = unsafe memory.baseAddress else { return }
        if unsafe block < start || block >= start + memory.count { unsafe Glibc.free(block) }
    }
}

// The libraries' calls for memory: each recovers its workspace.

/// zlib's alloc_func.
func allocateForZlib(
    _ workspace: UnsafeMutableRawPointer?, _ items: UInt32, _ size: UInt32
) -> UnsafeMutableRawPointer? {
    unsafe allocateForBrotli(workspace, Int(items) * Int(size))
}

/// brotli_alloc_func.
func allocateForBrotli(_ workspace: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
    guard let workspace = unsafe workspace else { return nil }
    return unsafe Unmanaged<Workspace>.fromOpaque(workspace)._withUnsafeGuaranteedRef { unsafe $0.allocate(size) }
}

/// zlib's free_func and brotli_free_func.
func freeInWorkspace(_ workspace: UnsafeMutableRawPointer?, _ block: UnsafeMutableRawPointer?) {
    guard let workspace = unsafe workspace else { return }
    unsafe Unmanaged<Workspace>.fromOpaque(workspace)._withUnsafeGuaranteedRef { unsafe $0.free(block) }
}
