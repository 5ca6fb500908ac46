/// Reads a binary property list (`bplist00`) of any size in pieces, in bounded memory.
///
/// Source: `CFBinaryPList.c` of CoreFoundation; if it and Python's plistlib differ, this reader follows plistlib.
public enum BinaryPropertyListReader {
    /// Sends the events of a whole document to a consumer, in document order.
    ///
    /// Shared objects are sent, and count, each time they appear.
    ///
    /// - Throws: `PropertyListError` with the byte offset of the object at which the document violates the format or
    ///   exceeds a limit, or the consumer's error, with that offset added.
    /// - Complexity: O(values); each file page is read about once if related objects are close together.
    public static func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        var decoder = try BinaryDecoder(input, limits: limits)
        do {
            try tell(decoder.root(), of: decoder, to: &consumer)
            while let event = try decoder.next() { try tell(event, of: decoder, to: &consumer) }
        } catch {
            let place = SourcePosition.byte(offset: decoder.position)
            // For a cyclic document, the consumer's error about its depth would be misleading.
            let error = decoder.openCycle ?? error
            guard !error.isOutOfMemory else { throw error }
            throw PropertyListError(
                error.reason, at: error.position ?? place, path: error.path ?? consumer.currentPath())
        }
    }

    @inline(__always)
    private static func tell<Consumer: PropertyListConsumer & ~Copyable>(
        _ event: BinaryDecoder.Event, of decoder: borrowing BinaryDecoder, to consumer: inout Consumer
    ) throws(PropertyListError) {
        switch event {
        case .beginDictionary: try consumer.beginDictionary(at: .byte(offset: decoder.position))
        case .key: try consumer.key(decoder.text, at: .byte(offset: decoder.position))
        case .endDictionary: try consumer.endDictionary()
        case .beginArray: try consumer.beginArray(at: .byte(offset: decoder.position))
        case .endArray: try consumer.endArray()
        case .string: try consumer.string(decoder.text, at: .byte(offset: decoder.position))
        case .data: try consumer.data(decoder.text)
        case .boolean(let value): try consumer.boolean(value)
        case .integer(let value): try consumer.integer(value)
        case .real(let value): try consumer.real(value)
        case .date(let seconds): try consumer.date(seconds)
        case .uid(let value): try consumer.uid(value)
        }
    }
}
