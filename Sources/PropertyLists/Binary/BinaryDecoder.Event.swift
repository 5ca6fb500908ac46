extension BinaryDecoder {
    /// What stands next in the document; where it has text or bytes, these are the decoder's `text`.
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
