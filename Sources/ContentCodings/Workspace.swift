import Glibc
import Heap
import Locking

/// Reusable memory for the tables of one encoder at a time.
///
/// For a short body, Brotli uses only a few thousand entries of a table of 1 MiB. In fresh memory from the system, the
/// first access to each page causes a page fault, and these faults took fifteen times as long as the encoding (manual,
/// Decisions on answers).
///
/// Unchecked Sendable: an owner has exclusive use of the workspace until the owner gives it back.
@safe
final class Workspace: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private var used = 0

    private static let idle = Guarded<[Workspace]>([])
    /// The maximum number of idle workspaces. More are needed only while more threads encode at the same time.
    private static let mostIdle = 8
    /// An encoder needs no memory beside the workspace if the body has at most this length.
    static let sufficesForBytes = 50 << 10
    /// The size of a workspace. Only touched pages are resident.
    private static let bytes = 2 << 20
    /// A sufficient alignment for everything that the libraries store.
    private static let alignment = 64

    /// Returns nil for a lack of memory.
    private init?() {
        guard MemoryBudget.hasRoom(forBuffer: Self.bytes), let block = unsafe aligned_alloc(Self.alignment, Self.bytes)
        else { return nil }
        unsafe memory = UnsafeMutableRawBufferPointer(start: block, count: Self.bytes)
    }

    deinit { unsafe Glibc.free(memory.baseAddress) }

    /// Returns an idle workspace, or else a new workspace; nil for a lack of memory. Without a workspace, the encoder
    /// allocates its own memory.
    static func take() -> Workspace? { idle.withLock { $0.popLast() } ?? Workspace() }

    /// Gives the workspace back for reuse. Nothing in it may be used afterwards.
    func giveBack() {
        used = 0
        Self.idle.withLock { if $0.count < Self.mostIdle { $0.append(self) } }
    }

    /// Allocates uninitialized memory, from the heap if the workspace is full.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        let size = (count + Self.alignment - 1) & -Self.alignment
        guard unsafe size <= memory.count - used else { return unsafe malloc(count) }
        defer { used += size }
        return unsafe memory.baseAddress?.advanced(by: used)
    }

    /// Frees a block that spilled to the heap; blocks inside the workspace are reclaimed when it is given back.
    func free(_ block: UnsafeMutableRawPointer?) {
        guard let block = unsafe block, let start = unsafe memory.baseAddress else { return }
        if unsafe block < start || block >= start + memory.count { unsafe Glibc.free(block) }
    }
}

// The allocation functions for the libraries. Each recovers the workspace from the library's pointer.

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
