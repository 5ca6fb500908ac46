/// A date in a header field, in whole seconds (RFC 9110, section 5.6.7).
public struct HTTPDate: Sendable, Equatable, Comparable {
    /// The seconds since 1970 in UTC.
    public let seconds: Int64

    /// Creates a date; nil outside the years 1 to 9999, because the text has four digits for the year.
    public init?(seconds: Int64) {
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// The years 1 to 9999.
    private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// Seconds from 1970 to 2001.
    private static let epoch = Int64(CivilDate.unixEpochOffset)

    /// Reads a date in the preferred form or in one of the two obsolete forms that recipients must accept; nil for
    /// other text. The name of the day is not compared with the date, and 31 Feb is read as 3 Mar.
    ///
    /// ```
    /// Sun, 06 Nov 1994 08:49:37 GMT
    /// Sunday, 06-Nov-94 08:49:37 GMT
    /// Sun Nov  6 08:49:37 1994
    /// ```
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let words = text.split { " ,-:".contains($0) }
        let order: (day: Int, month: Int, year: Int, hour: Int)
        switch words.count {
        case 8 where words[7] == "GMT": order = (1, 2, 3, 4)
        case 7: order = (2, 1, 6, 3)
        default: return nil
        }
        guard let month = Self.months.firstIndex(where: { $0 == words[order.month] }),
            let day = Self.number(words[order.day], in: 1...31), let year = Self.year(words[order.year]),
            let hour = Self.number(words[order.hour], in: 0...23),
            let minute = Self.number(words[order.hour + 1], in: 0...59),
            let second = Self.number(words[order.hour + 2], in: 0...60)
        else { return nil }
        let date = CivilDate(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        self.init(seconds: date.seconds + Self.epoch)
    }

    /// The maximum length of the text in bytes, a little more than the length of the longest valid date.
    private static let longest = 40
    private static let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func number(_ digits: Substring, in range: ClosedRange<Int>) -> Int? {
        guard let number = Int(digits: digits.utf8), range.contains(number) else { return nil }
        return number
    }

    /// Reads a year of four or two digits; two digits mean a year from 1976 to 2075.
    ///
    /// According to RFC 9110, a year of two digits is at most 50 years in the future, here counted from 2025.
    private static func year(_ digits: Substring) -> Int? {
        guard let year = number(digits, in: 0...9_999) else { return nil }
        switch digits.utf8.count {
        case 4: return year
        case 2: return year + (year < 76 ? 2_000 : 1_900)
        default: return nil
        }
    }

    /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var text: String {
        let date = CivilDate(seconds: seconds - Self.epoch)
        // The first day of 2001 was a Monday.
        let days = (seconds - Self.epoch - Int64(date.hour * 3_600 + date.minute * 60 + date.second)) / 86_400
        let name = Self.dayNames[Int(((days + 1) % 7 + 7) % 7)]
        let clock = [date.hour, date.minute, date.second].map { $0.digits(2) }.joined(separator: ":")
        return "\(name), \(date.day.digits(2)) \(Self.months[date.month - 1]) \(date.year.digits(4)) \(clock) GMT"
    }

    /// Whether one date is earlier than another.
    public static func < (one: HTTPDate, other: HTTPDate) -> Bool { one.seconds < other.seconds }
}
