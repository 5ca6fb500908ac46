import Bytes
import DrilldownDates

extension CivilDate {
    /// The error of a writer for a date outside the calendar.
    static var outOfRange: PropertyListError {
        PropertyListError(reason: "a date is outside the years 1 to 9999; a property list cannot represent it")
    }

    /// The error of the XML writer for a date with a fraction of a second.
    static var fractionInXML: PropertyListError {
        PropertyListError(reason: "XML property lists cannot represent fractions of a second; use the binary format")
    }
}

extension ByteBuffer {
    /// Appends a date as RFC 3339 in UTC, `2001-03-12T00:00:00Z`, with a fraction if the date has one.
    ///
    /// The fraction has at most six digits, and does not end with zeros.
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

/// The text of numbers and dates in JSON and in titles.
public enum JSONText {
    /// The shortest text that reads back as the same number. It always has a point or an exponent. A value that JSON
    /// cannot represent becomes `nan`, `+infinity` or `-infinity`.
    public static func real(_ value: Double) -> String {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
        return value.description
    }

    /// A date as RFC 3339 in UTC, `2001-03-12T00:00:00Z`, with up to six digits of a fraction. A date outside the years
    /// 1 to 9999 becomes `nan`.
    ///
    /// - Parameter seconds: the seconds since 2001-01-01T00:00:00Z.
    public static func date(_ seconds: Double) -> String {
        // This is faster than `Timestamp.text`, which concatenates strings.
        guard let (date, microsecond) = CivilDate.moment(seconds) else { return "nan" }
        var text = ByteBuffer(capacity: 32)
        text.append(date, microsecond: microsecond)
        return String(utf8: text.span)
    }
}
