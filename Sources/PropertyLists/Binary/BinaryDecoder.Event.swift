extension BinaryDecoder {
    /// The next event of the document; its text or bytes, if any, are the decoder's `text`.
    enum Event {
        case beginDictionary
        case key
        case endDictionary
        case beginArray
        case endArray
        case string
        case data
        case boolean(Bool)
        case integer(PropertyListInteger)
        case real(Double)
        case date(Double)
        case uid(UInt64)
    }
}
