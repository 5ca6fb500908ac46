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

/// The dates in header fields (RFC 9110, 5.6.7).
enum HTTPDate {
    /// The moment that a date in one of the three forms names; nil for anything else. The day of the week is not checked.
    ///
    /// ```
    /// Sun, 06 Nov 1994 08:49:37 GMT
    /// Sunday, 06-Nov-94 08:49:37 GMT
    /// Sun Nov  6 08:49:37 1994
    /// ```
    static func date(_ text: String) -> Date? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" })
        let day: Substring
        let month: Substring
        let year: Substring
        let time: Substring
        if words.count == 6, words[5] == "GMT" {
            (day, month, year, time) = (words[1], words[2], words[3], words[4])
        } else if words.count == 5 {
            (month, day, time, year) = (words[1], words[2], words[3], words[4])
        } else {
            return nil
        }
        guard let day = number(day, 1...2), let month = months.firstIndex(of: month), let year = fullYear(year),
            let calendarDay = CalendarDay(year: year, month: Int64(month) + 1, day: day), let second = secondOfDay(time)
        else { return nil }
        return Date(timeIntervalSince1970: Double(calendarDay.days * 86_400 + second))
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// A year of two digits is one from 1970 to 2069.
    private static func fullYear(_ text: Substring) -> Int64? {
        guard let year = number(text, 2...4), text.count != 3 else { return nil }
        return text.count == 4 ? year : year + (year < 70 ? 2_000 : 1_900)
    }

    /// The second of the day that a text such as `08:49:37` names; a leap second counts as the one after it.
    private static func secondOfDay(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], 2...2), let minute = number(parts[1], 2...2),
            let second = number(parts[2], 2...2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    private static func number(_ text: Substring, _ length: ClosedRange<Int>) -> Int64? {
        let isNumber = length.contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int64(text) : nil
    }
}

/// A day of the Gregorian calendar.
struct CalendarDay: Hashable {
    let year, month, day: Int64

    /// Nil for a day that the calendar does not have.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1, day <= Self.length(ofMonth: month, year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// - Parameter days: the number of days since 1970-01-01.
    init(days: Int64) {
        // Years begin in March here, so that the leap day is the last of a year; eras have 400 years.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01.
    var days: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
