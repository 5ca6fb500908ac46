import Bytes

extension Row {
    /// The packed members of the row's control, in the order of the answer; nil if the row is not a control.
    ///
    /// - Parameter bytes: the level's.
    public func control(in bytes: Span<UInt8>) -> Range<Int>? {
        guard isControl else { return nil }
        var reader = PackedReader(bytes, at: fields.lowerBound)
        while reader.offset < fields.upperBound {
            _ = reader.run()
            if bytes[reader.offset] == PackedTag.control.rawValue {
                reader.offset += 2
                let size = reader.halfWord()
                return reader.offset..<reader.offset + size
            }
            reader.skipValue()
        }
        return nil
    }
}
