import Bytes

/// The text of numbers and dates in JSON and in titles.
public enum JSONText {
    /// The shortest text that reads back as the same number, always with a point or an exponent; `nan`, `+infinity`
    /// and `-infinity` for what JSON cannot represent.
    public static func real(_ value: Double) -> String {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
        return value.description
    }

    /// RFC 3339 in UTC, `2001-03-12T00:00:00Z`, with microseconds if there are any; `nan` if it is not a date.
    ///
    /// - Parameter seconds: since 2001-01-01T00:00:00Z.
    public static func date(_ seconds: Double) -> String {
        guard let (date, microsecond) = CivilDate.moment(seconds) else { return "nan" }
        var text = ByteBuffer(capacity: 32)
        text.append(date, microsecond: microsecond)
        return String(utf8: text.span)
    }
}
