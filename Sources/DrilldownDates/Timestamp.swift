/// The text of a moment in the form of RFC 3339.
public enum Timestamp {
    /// Reads a moment as seconds since 2001-01-01T00:00:00Z. A day without a time means midnight in UTC.
    ///
    /// - Returns: nil for other text, and for a leap second or a lower-case `t` or `z`.
    public static func seconds(_ text: [UInt8]) -> Double? {
        guard text.count >= 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = Int(digits: text[0..<4]), let month = Int(digits: text[5..<7]),
            let day = Int(digits: text[8..<10])
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard text.count > 10 else { return date.isReal ? Double(date.seconds) : nil }
        return time(text, on: date)
    }

    private static func time(_ text: [UInt8], on day: CivilDate) -> Double? {
        guard text.count >= 20, text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), let hour = Int(digits: text[11..<13]),
            let minute = Int(digits: text[14..<16]), let second = Int(digits: text[17..<19])
        else { return nil }
        let date = CivilDate(
            year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: second)
        var rest = text[19...]
        guard date.isReal, let fraction = fraction(&rest), let offset = offset(Array(rest)) else { return nil }
        return Double(date.seconds - Int64(offset)) + fraction
    }

    /// Removes the fraction of a second and returns it. Returns 0 without a point, and nil for a point without digits.
    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Double? {
        guard rest.first == UInt8(ascii: ".") else { return 0 }
        let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
    }

    /// Returns the offset from UTC in seconds, positive in the east. The text is `Z`, or a sign, hours and minutes; nil
    /// for other text.
    private static func offset(_ text: [UInt8]) -> Int? {
        if text == [UInt8(ascii: "Z")] { return 0 }
        guard text.count == 6, text[3] == UInt8(ascii: ":"), let hours = Int(digits: text[1..<3]),
            let minutes = Int(digits: text[4..<6]), hours < 24, minutes < 60
        else { return nil }
        switch text[0] {
        case UInt8(ascii: "+"): return hours * 3_600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3_600 + minutes * 60)
        default: return nil
        }
    }

    /// Returns the text in UTC, `2001-03-12T00:00:00Z`, with up to six digits of a fraction; nil outside the years
    /// 1 … 9999.
    ///
    /// - Parameter seconds: the seconds since 2001-01-01T00:00:00Z.
    public static func text(_ seconds: Double) -> String? {
        guard let (date, microsecond) = CivilDate.moment(seconds) else { return nil }
        var text = "\(date.year.digits(4))-\(date.month.digits(2))-\(date.day.digits(2))"
        text += "T\(date.hour.digits(2)):\(date.minute.digits(2)):\(date.second.digits(2))"
        if microsecond > 0 {
            text += "." + microsecond.digits(6)
            while text.hasSuffix("0") { text.removeLast() }
        }
        return text + "Z"
    }
}

extension Int {
    /// Reads decimal digits; nil for other text, for empty text, and for a number that is too large.
    init?(digits: some Collection<UInt8>) {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(String(decoding: digits, as: UTF8.self))
    }

    /// Returns the decimal digits, with leading zeros up to a number of digits.
    func digits(_ count: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, count - text.utf8.count)) + text
    }
}
