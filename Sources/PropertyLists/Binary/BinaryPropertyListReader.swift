/// Reads a binary property list (`bplist00`) in pieces, in bounded memory whatever its size.
///
/// Source: `CFBinaryPList.c` of CoreFoundation; where it and Python's plistlib differ, what plistlib reads is read.
public enum BinaryPropertyListReader {
    /// Tells a consumer all of a document, in the order of the file.
    ///
    /// Shared objects are told, and count, each time they appear.
    ///
    /// - Throws: `PropertyListError` with the byte offset of the object where the document breaks the format or
    ///   goes past a limit, or what the consumer throws, with that offset added.
    /// - Complexity: O(values), each file page read about once where the file keeps related objects together.
    public static func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        var decoder = try BinaryDecoder(input, limits: limits)
        do {
            try tell(decoder.root(), of: decoder, to: &consumer)
            while let event = try decoder.next() { try tell(event, of: decoder, to: &consumer) }
        } catch {
            let place = SourcePosition.byte(offset: decoder.position)
            // What a consumer says of the depth of a document without end is beside the point.
            let error = decoder.openCycle ?? error
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
