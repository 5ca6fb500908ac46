import Foundation

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
