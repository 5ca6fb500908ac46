import DrilldownDates
import PropertyLists
import Testing

@testable import Levels

/// Numbers of property lists and of text, compared exactly.
@Suite struct NumberComparisonTests {
    /// Numbers in ascending order.
    private static let ascending: [ExactNumber] = [
        .real(-.infinity), number("-1e308"), number("-" + String(repeating: "9", count: 40)),
        number("-" + String(repeating: "9", count: 39)), number("-170141183460469231731687303715884105729"),
        number("-170141183460469231731687303715884105728"), number("-9223372036854775809"),
        ExactNumber(magnitude: 1 << 63, isNegative: true), number("-1.5"), number("-1"), .real(-.leastNonzeroMagnitude),
        number("0"),
        .real(.leastNonzeroMagnitude), number("0.1"), number("1"), number("1.0000000000000002"), number("2"),
        number("9007199254740992"), number("9007199254740993"), .real(9_007_199_254_740_994),
        number("18446744073709551614"), ExactNumber(magnitude: .max, isNegative: false),
        .real(18_446_744_073_709_551_616), number("18446744073709551617"),
        number("170141183460469231731687303715884105727"), number("170141183460469231731687303715884105729"),
        number("1" + String(repeating: "0", count: 39)), number("2" + String(repeating: "0", count: 39)),
        number("1e300"), number("1" + String(repeating: "0", count: 320)), .real(.infinity),
    ]

    private static func number(_ text: String) -> ExactNumber {
        ExactNumber(text: Array(text.utf8).span) ?? .real(.nan)
    }

    @Test("Each number is less than all that follow and equal to itself")
    func order() {
        for (place, one) in Self.ascending.enumerated() {
            for (other, number) in Self.ascending.enumerated() {
                #expect((one < number) == (place < other), "\(one) < \(number)")
                #expect((one == number) == (place == other), "\(one) == \(number)")
            }
        }
    }

    @Test(
        "Equal numbers are equal however they are written",
        arguments: [
            ("1", "1.0"), ("100", "1e2"), ("0", "-0"), ("-0", "0.0"), ("1E+2", "100"), ("0.10", "1e-1"),
            ("9007199254740993e0", "9007199254740992"),
        ] as [(String, String)])
    func equal(one: String, other: String) { #expect(Self.number(one) == Self.number(other)) }

    @Test(
        "Text that is not wholly a number of JSON is none",
        arguments: [
            "", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x10", "1 ", " 1", "1_000", "inf", "nan", "١", "-01",
        ])
    func noNumber(text: String) { #expect(ExactNumber(text: Array(text.utf8).span) == nil) }

    @Test("NaN is equal to nothing, and neither less nor greater")
    func nan() {
        let nan = ExactNumber.real(.nan)
        #expect(nan != nan)
        #expect(!(nan < .integer(1)) && !(.integer(1) < nan))
    }
}

/// Points in time as text.
@Suite struct MomentTests {
    @Test(
        "RFC 3339 and a day alone are seconds since 2001",
        arguments: [
            ("2001-01-01", 0), ("2001-01-01T00:00:00Z", 0), ("2001-01-01T00:00:01Z", 1),
            ("2001-01-01T01:00:00+01:00", 0), ("2000-12-31T23:30:00-00:30", 0), ("2001-01-01T00:00:00.25Z", 0.25),
            ("2000-02-29", -26_524_800),
        ] as [(String, Double)])
    func read(text: String, seconds: Double) { #expect(Timestamp.seconds(Array(text.utf8)) == seconds) }

    @Test(
        "All other text is no point in time",
        arguments: [
            "", "2001", "2001-01", "2001-13-01", "2001-02-29", "01-01-2001", "2001-01-01T00:00:00",
            "2001-01-01 00:00:00Z",
            "2001-01-01T24:00:00Z", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00+1:00", "2001-01-01T00:00:00Zx",
            "2001-01-01T00:00Z", "20010101T000000Z", "2001-01-01T00:00:00+24:00",
        ])
    func refused(text: String) { #expect(Timestamp.seconds(Array(text.utf8)) == nil) }
}
