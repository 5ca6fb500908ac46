import Bytes
import PropertyLists

/// Reads the text of a point in time.
enum Moment {
    /// Seconds since 2001-01-01T00:00:00Z of a text in the form of RFC 3339, or of a day alone, which is its midnight in
    /// UTC; nil for all other text.
    static func seconds(_ text: Span<UInt8>) -> Double? {
        guard text.count >= 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = Int(digits: text.extracting(0..<4)), let month = Int(digits: text.extracting(5..<7)),
            let day = Int(digits: text.extracting(8..<10))
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard text.count > 10 else { return date.isReal ? Double(date.seconds) : nil }
        return time(text, on: date)
    }

    private static func time(_ text: Span<UInt8>, on day: CivilDate) -> Double? {
        guard text.count >= 20, text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), let hour = Int(digits: text.extracting(11..<13)),
            let minute = Int(digits: text.extracting(14..<16)), let second = Int(digits: text.extracting(17..<19))
        else { return nil }
        let date = CivilDate(
            year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: second)
        var place = 19
        guard date.isReal, let fraction = fraction(of: text, at: &place),
            let offset = offset(text.extracting(place..<text.count))
        else { return nil }
        return Double(date.seconds - offset) + fraction
    }

    /// The fraction of a second, 0 where there is none; nil where it has no digits.
    private static func fraction(of text: Span<UInt8>, at place: inout Int) -> Double? {
        guard text[place] == UInt8(ascii: ".") else { return 0 }
        let start = place
        place += 1
        while place < text.count, text[place] &- UInt8(ascii: "0") < 10 { place += 1 }
        guard place > start + 1 else { return nil }
        return Double("0" + String(utf8: text.extracting(start..<place)))
    }

    /// Seconds east of UTC: `Z`, or a sign, hours and minutes.
    private static func offset(_ text: Span<UInt8>) -> Int? {
        if text.count == 1, text[0] == UInt8(ascii: "Z") { return 0 }
        guard text.count == 6, text[3] == UInt8(ascii: ":"), let hours = Int(digits: text.extracting(1..<3)),
            let minutes = Int(digits: text.extracting(4..<6)), hours < 24, minutes < 60
        else { return nil }
        switch text[0] {
        case UInt8(ascii: "+"): return hours * 3_600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3_600 + minutes * 60)
        default: return nil
        }
    }
}
