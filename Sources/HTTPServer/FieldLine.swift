/// One line of a request's header, where it lies in memory that the request does not own.
@safe
struct FieldLine {
    let name: UnsafeBufferPointer<UInt8>
    let value: UnsafeBufferPointer<UInt8>
    /// The raw value of the `FieldName`, or `unlisted`.
    let kind: UInt8

    static let unlisted: UInt8 = 0xFF

    init(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        unsafe self.name = name
        unsafe self.value = FieldLine.trimmed(value)
        kind = unsafe FieldName(name)?.rawValue ?? FieldLine.unlisted
    }

    /// The value without the white space around it, which is no part of it (RFC 9110 section 5.5).
    private static func trimmed(_ value: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var first = 0
        var end = value.count
        while end > first, unsafe value[end - 1] == 0x20 || value[end - 1] == 0x09 { end -= 1 }
        while first < end, unsafe value[first] == 0x20 || value[first] == 0x09 { first += 1 }
        return unsafe UnsafeBufferPointer(rebasing: value[first..<end])
    }

    var text: String { unsafe String(decoding: value, as: UTF8.self) }
}
