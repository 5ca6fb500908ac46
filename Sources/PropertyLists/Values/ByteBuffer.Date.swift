import Bytes

extension ByteBuffer {
    /// Appends a date as RFC 3339 in UTC, `2001-03-12T00:00:00Z`, with a fraction if it has one.
    ///
    /// The fraction has no trailing zeros and at most six digits.
    mutating func append(_ date: CivilDate, microsecond: Int = 0) {
        append(date.year, digits: 4)
        append(UInt8(ascii: "-"))
        append(date.month, digits: 2)
        append(UInt8(ascii: "-"))
        append(date.day, digits: 2)
        append(UInt8(ascii: "T"))
        append(date.hour, digits: 2)
        append(UInt8(ascii: ":"))
        append(date.minute, digits: 2)
        append(UInt8(ascii: ":"))
        append(date.second, digits: 2)
        if microsecond > 0 {
            append(UInt8(ascii: "."))
            append(microsecond, digits: 6)
            while span[count - 1] == UInt8(ascii: "0") { truncate(to: count - 1) }
        }
        append(UInt8(ascii: "Z"))
    }
}
