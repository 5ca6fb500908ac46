/// A date and time of the proleptic Gregorian calendar in UTC, and its distance from 2001-01-01T00:00:00Z.
///
/// The arithmetic uses eras of 400 years that begin in March. The leap day is then the last day of a year.
public struct CivilDate: Equatable, Sendable {
    /// The parts; month and day count from 1.
    public var year, month, day, hour, minute, second: Int

    /// The range of a property list's dates, in seconds since 2001-01-01T00:00:00Z: the years 1 … 9999.
    public static let secondsRange: ClosedRange<Double> = -63_113_904_000...252_423_993_599

    /// Seconds from 1970-01-01T00:00:00Z to 2001-01-01T00:00:00Z.
    public static let unixEpochOffset: Double = 978_307_200

    /// Creates a date from any parts; `isReal` checks that the date exists.
    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Whether the day and time exist, within the years 1 … 9999.
    public var isReal: Bool {
        (1...9999).contains(year) && (1...12).contains(month) && (1...Self.days(in: month, of: year)).contains(day)
            && (0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second)
    }

    /// Whole seconds since 2001-01-01T00:00:00Z. They need 64 bits, which `Int` has not on every watch.
    public var seconds: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = Int64(era * 146_097 + dayOfEra - Self.epochDay)
        return days * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    /// Splits whole seconds since 2001-01-01T00:00:00Z into date and time.
    public init(seconds: Int64) {
        let day = Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400)
        let time = Int(seconds - Int64(day) * 86_400)
        let shifted = day + Self.epochDay
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        hour = time / 3_600
        minute = time / 60 % 60
        second = time % 60
    }

    /// Days from 0000-03-01 to 2001-01-01.
    private static let epochDay = 730_791

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CivilDate {
    /// Whether a number of seconds since 2001-01-01T00:00:00Z, with its fraction, is within the years 1 … 9999.
    public static func holds(_ seconds: Double) -> Bool {
        seconds >= secondsRange.lowerBound && seconds < secondsRange.upperBound + 1
    }

    /// Splits seconds since 2001-01-01T00:00:00Z into a date and microseconds; nil outside the years 1 … 9999.
    ///
    /// The fraction is rounded to microseconds, half to even. It is rounded separately from the whole seconds, as in
    /// Python's `timedelta`.
    public static func moment(_ seconds: Double) -> (date: CivilDate, microsecond: Int)? {
        guard holds(seconds) else { return nil }
        let whole = seconds.rounded(.towardZero)
        let fraction = ((seconds - whole) * 1_000_000).rounded(.toNearestOrEven)
        // Both parts have the same sign; before 2001, the microseconds are counted from the previous whole second.
        let second = fraction < 0 ? Int64(whole) - 1 : Int64(whole)
        let microsecond = fraction < 0 ? Int(fraction) + 1_000_000 : Int(fraction)
        return microsecond == 1_000_000
            ? (CivilDate(seconds: second + 1), 0) : (CivilDate(seconds: second), microsecond)
    }
}
