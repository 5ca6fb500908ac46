import Bytes
import PropertyLists

/// A writer whose output can be drained while it writes.
protocol StreamedWriter: PropertyListConsumer, ~Copyable {
    /// Ends the document.
    ///
    /// - Throws: `PropertyListError` unless exactly one complete value was written.
    mutating func finish() throws(PropertyListError)
    /// Ends the last line, unless `finish` does so or the format has no lines.
    mutating func endLine()
    /// Whether there was no memory for a part of the output.
    var isIncomplete: Bool { get }
    /// The number of bytes that have not been taken.
    var pending: Int { get }
    /// Moves as much of the output as fits into a buffer, and returns the number of bytes moved.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Passes all of the output, and removes it.
    mutating func takeAll(_ take: (Span<UInt8>) -> Void)
}

extension ByteBuffer {
    /// Moves as much as fits into a buffer, and returns the number of bytes moved.
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let taken = min(count, buffer.count)
        guard taken > 0, let target = buffer.baseAddress else { return 0 }
        unsafe span.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe target.copyMemory(from: start, byteCount: taken) }
        }
        removeFirst(taken)
        return taken
    }

    /// Passes all bytes, and removes them.
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) {
        take(span)
        truncate(to: 0)
    }
}

extension JSONPropertyListWriter: StreamedWriter {
    var isIncomplete: Bool { output.isIncomplete }
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) { output.takeAll(take) }
}

extension XMLPropertyListWriter: StreamedWriter {
    var isIncomplete: Bool { output.isIncomplete }
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) { output.takeAll(take) }
}

extension BinaryPropertyListWriter: StreamedWriter {
    mutating func endLine() {}
    var isIncomplete: Bool { output.isIncomplete }
    var pending: Int { output.count }
    mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int { unsafe output.drain(into: buffer) }
    mutating func takeAll(_ take: (Span<UInt8>) -> Void) { output.takeAll(take) }
}
