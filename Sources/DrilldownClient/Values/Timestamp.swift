import Foundation

/// The text of a moment: RFC 3339, in UTC when it is written, with as many as six digits of a second.
enum Timestamp {
    /// The text of a date, such as `2001-03-12T00:00:00Z`.
    static func text(_ date: Date) -> String {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        // Within the years 0 to 9999, which four digits can tell.
        let moment = Int64(max(-62_167_219_200_000_000, min(253_402_300_799_000_000, microseconds)))
        let (seconds, fraction) = moment.quotientAndRemainder(flooredBy: 1_000_000)
        let (days, second) = seconds.quotientAndRemainder(flooredBy: 86_400)
        let date = CalendarDay(days: days)
        var text = "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))"
        text += "T\(digits(second / 3_600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
        if fraction > 0 {
            var part = digits(fraction, 6)
            while part.hasSuffix("0") { part.removeLast() }
            text += "." + part
        }
        return text + "Z"
    }

    /// The date that a text names; nil if it is not RFC 3339.
    static func date(_ text: String) -> Date? {
        var rest = text.utf8[...]
        guard let year = number(&rest, 4), take(&rest, "-"), let month = number(&rest, 2), take(&rest, "-"),
            let day = number(&rest, 2), take(&rest, "Tt"), let hour = number(&rest, 2), take(&rest, ":"),
            let minute = number(&rest, 2), take(&rest, ":"), let second = number(&rest, 2),
            hour < 24, minute < 60, second < 60, let fraction = fraction(&rest), let offset = offset(&rest),
            rest.isEmpty, let date = CalendarDay(year: year, month: month, day: day)
        else { return nil }
        let seconds = date.days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    private static func number(_ rest: inout Substring.UTF8View, _ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return Int64(Substring(digits))
    }

    private static func take(_ rest: inout Substring.UTF8View, _ any: String) -> Bool {
        guard let byte = rest.first, any.utf8.contains(byte) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func fraction(_ rest: inout Substring.UTF8View) -> Double? {
        guard take(&rest, ".") else { return 0 }
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest[digits.endIndex...]
        return digits.isEmpty ? nil : Double("0." + Substring(digits))
    }

    /// How many seconds local time is ahead of UTC.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int64? {
        if take(&rest, "Zz") { return 0 }
        let isBehind = rest.first == UInt8(ascii: "-")
        guard take(&rest, "+-"), let hours = number(&rest, 2), take(&rest, ":"), let minutes = number(&rest, 2),
            hours < 24, minutes < 60
        else { return nil }
        return (isBehind ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }
}

extension Int64 {
    /// The quotient rounded down, and the remainder, which is never negative.
    fileprivate func quotientAndRemainder(flooredBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
