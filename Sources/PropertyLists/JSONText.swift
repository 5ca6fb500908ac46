/// How numbers and dates read in JSON, and as titles.
public enum JSONText {
    /// The shortest text that reads back as the same number, always with a point or an exponent; `nan`, `+infinity`
    /// and `-infinity` for what JSON cannot carry.
    public static func real(_ value: Double) -> String {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
        return value.description
    }

    /// RFC 3339 in UTC, `2001-03-12T00:00:00Z`, with microseconds as far as there are any.
    ///
    /// - Parameter seconds: since 2001-01-01T00:00:00Z.
    public static func date(_ seconds: Double) -> String {
        var whole = seconds.rounded(.down)
        var micros = Int(((seconds - whole) * 1e6).rounded(.toNearestOrEven))
        if micros == 1_000_000 { (whole, micros) = (whole + 1, 0) }
        guard let count = Int(exactly: whole) else { return "nan" }
        let date = CivilDate(seconds: count)
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        var text = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
        text += "\(padded(date.hour, 2)):\(padded(date.minute, 2)):\(padded(date.second, 2))"
        if micros > 0 {
            var fraction = padded(micros, 6)
            while fraction.last == "0" { fraction.removeLast() }
            text += "." + fraction
        }
        return text + "Z"
    }
}
