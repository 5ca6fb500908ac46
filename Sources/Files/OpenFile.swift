public import Glibc

/// An open file, which is closed with its owner.
public struct OpenFile: ~Copyable, Sendable {
    /// Open for reading; the owner closes it.
    public let descriptor: Int32
    /// The file's state when it was opened (`fstat(2)`).
    public let status: stat

    deinit { _ = close(descriptor) }

    /// Returns the descriptor, which the caller then has to close.
    public consuming func release() -> Int32 {
        let released = descriptor
        discard self
        return released
    }
}
