extension CivilDate {
    /// Whether a number of seconds since 2001-01-01T00:00:00Z is within the years 1 … 9999, fractions and all.
    static func holds(_ seconds: Double) -> Bool {
        seconds >= secondsRange.lowerBound && seconds < secondsRange.upperBound + 1
    }

    /// Splits seconds since 2001-01-01T00:00:00Z, with the fraction rounded to microseconds, half to even.
    ///
    /// The fraction is rounded separately from the whole seconds, as in Python's `timedelta`; nil outside the years
    /// 1 … 9999.
    static func moment(_ seconds: Double) -> (date: CivilDate, microsecond: Int)? {
        guard holds(seconds) else { return nil }
        let whole = seconds.rounded(.towardZero)
        let fraction = ((seconds - whole) * 1_000_000).rounded(.toNearestOrEven)
        // Both parts have the same sign; a moment before 2001 counts its microseconds up from the second below.
        let second = fraction < 0 ? Int(whole) - 1 : Int(whole)
        let microsecond = fraction < 0 ? Int(fraction) + 1_000_000 : Int(fraction)
        return microsecond == 1_000_000
            ? (CivilDate(seconds: second + 1), 0) : (CivilDate(seconds: second), microsecond)
    }
}

extension CivilDate {
    /// The error of a writer for a date outside the calendar.
    static var outOfRange: PropertyListError {
        PropertyListError("a date is outside the years 1 to 9999; a property list cannot represent it")
    }

    /// The error of a writer of XML for a moment between two seconds.
    static var fractionInXML: PropertyListError {
        PropertyListError("XML property lists cannot represent fractions of a second; use the binary format")
    }
}
