/// A stack of plain values in a growing block of `malloc` memory.
///
/// An array that grows copies its elements to another block, so that for a moment they take three times their memory. A
/// large block of `malloc` grows and shrinks in place.
///
/// A stack that cannot grow drops all later values. Check `isIncomplete` before values are read.
public struct ValueStack<Value: BitwiseCopyable>: ~Copyable {
    @usableFromInline var bytes = ByteBuffer()

    /// Creates an empty stack.
    public init() {}

    /// The number of values.
    @inlinable public var count: Int { bytes.count / MemoryLayout<Value>.stride }
    /// Whether values are missing for lack of memory.
    @inlinable public var isIncomplete: Bool { bytes.isIncomplete }

    /// Appends one value.
    @inlinable
    public mutating func append(_ value: Value) {
        guard bytes.reserve(MemoryLayout<Value>.stride) else { return }
        unsafe bytes.base.unsafelyUnwrapped.storeBytes(of: value, toByteOffset: bytes.size, as: Value.self)
        bytes.size += MemoryLayout<Value>.stride
    }

    /// The values, the first one first.
    @inlinable
    public var span: Span<Value> {
        @_lifetime(borrow self)
        get {
            let bytes = unsafe UnsafeRawBufferPointer(start: bytes.base, count: bytes.size)
            let span = unsafe Span<Value>(_unsafeBytes: bytes)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The value with a number.
    @inlinable
    public subscript(number: Int) -> Value {
        get { span[number] }
        set {
            precondition(number >= 0 && number < count)
            unsafe bytes.base.unsafelyUnwrapped.storeBytes(
                of: newValue, toByteOffset: number * MemoryLayout<Value>.stride, as: Value.self)
        }
    }

    /// Discards everything after the first `newCount` values; the memory is kept.
    @inlinable
    public mutating func truncate(to newCount: Int) { bytes.truncate(to: newCount * MemoryLayout<Value>.stride) }

    /// Discards everything after the first `newCount` values, and their memory.
    public mutating func shrink(to newCount: Int) { bytes.shrink(to: newCount * MemoryLayout<Value>.stride) }
}
