internal import Bytes

/// A date in a header field, in whole seconds (RFC 9110, section 5.6.7).
public struct HTTPDate: Sendable, Equatable, Comparable {
    /// The seconds since 1970 in UTC.
    public let seconds: Int

    /// The date so many seconds after the beginning of 1970 in UTC; nil outside the years 1 to 9999, which the form
    /// with four digits cannot represent.
    public init?(seconds: Int) {
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// The years 1 to 9999.
    private static let range = -62_135_596_800...253_402_300_799

    /// Reads a date in the preferred form or in one of the two obsolete ones that recipients must accept; nil for
    /// anything else. The name of the day is not compared with the date.
    public init?(_ text: Span<UInt8>) {
        guard text.count <= Self.longest else { return nil }
        let words = Self.words(text)
        let order: (day: Int, month: Int, year: Int, hour: Int)
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT, or Sunday, 06-Nov-94 08:49:37 GMT
        case 8 where words[7] == Array("GMT".utf8): order = (1, 2, 3, 4)
        // Sun Nov  6 08:49:37 1994
        case 7: order = (2, 1, 6, 3)
        default: return nil
        }
        guard let month = Self.months.firstIndex(where: { Array($0.utf8) == words[order.month] }),
            let day = Self.number(words[order.day], 1...31), let year = Self.year(words[order.year]),
            let hour = Self.number(words[order.hour], 0...23),
            let minute = Self.number(words[order.hour + 1], 0...59),
            let second = Self.number(words[order.hour + 2], 0...60)
        else { return nil }
        self.init(seconds: Self.days(year, month + 1, day) * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// The length of the longest valid date, in bytes.
    private static let longest = 40
    private static let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func words(_ text: Span<UInt8>) -> [[UInt8]] {
        (0..<text.count).map { text[$0] }.split { " ,-:".utf8.contains($0) }.map(Array.init)
    }

    private static func number(_ digits: [UInt8], _ range: ClosedRange<Int>) -> Int? {
        guard let number = Int(digits: digits.span), range.contains(number) else { return nil }
        return number
    }

    /// A year of four digits, or of two: then it is at most 50 years in the future of when this was written.
    private static func year(_ digits: [UInt8]) -> Int? {
        guard digits.count == 2 || digits.count == 4, let year = number(digits, 0...9_999) else { return nil }
        return digits.count == 4 ? year : year + (year < 76 ? 2_000 : 1_900)
    }

    /// The preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var text: String {
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let second = seconds - days * 86_400
        let (year, month, day) = Self.civil(days)
        // 1 January 1970 was a Thursday.
        let name = Self.dayNames[((days + 4) % 7 + 7) % 7]
        let clock = [second / 3_600, second / 60 % 60, second % 60].map { Self.digits($0) }.joined(separator: ":")
        return "\(name), \(Self.digits(day)) \(Self.months[month - 1]) \(Self.digits(year, 4)) \(clock) GMT"
    }

    // MARK: Calendar

    /// The days from the beginning of 1970 to a date of the Gregorian calendar.
    ///
    /// Years begin in March, so that the leap day is the last; 400 years are 146,097 days.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date so many days after the beginning of 1970.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func digits(_ number: Int, _ width: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    /// Whether one date is earlier than another.
    public static func < (one: HTTPDate, other: HTTPDate) -> Bool { one.seconds < other.seconds }
}
