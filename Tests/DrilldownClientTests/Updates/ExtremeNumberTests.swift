import Foundation
import Testing

@testable import DrilldownClient

/// Numbers of any size in the fields of an answer.
@Suite struct ExtremeNumberTests {
    private static let texts = [
        "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1e308", "1e-308", "-0", "nan", "inf",
        "0x7fffffffffffffff", "Fri, 31 Dec 9999 23:59:60 GMT", "Sat, 01 Jan 0000 00:00:00 GMT",
        "Mon, 01 Jan 0001 00:00:00 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    ]

    @Test(arguments: texts, ["Sun, 06 Nov 1994 08:49:37 GMT"] + texts)
    func `a pause that a server asks for is at most seven and a half minutes`(_ text: String, _ date: String) {
        let answer = Answer(status: 503, header: ["retry-after": text, "date": date], body: Data(), target: "/")
        let delay = Backoff().delay(after: .max, retryAfter: answer.retryAfter)
        #expect((1...450).contains(delay))
        #expect(Duration.seconds(delay) >= .zero)
    }

    @Test(arguments: [Duration.zero, .seconds(Int64.max), .seconds(Int64.min)])
    func `an answer may take any time`(_ time: Duration) {
        var pace = PollingPace()
        for _ in 0..<100 { #expect((0...30).contains(pace.pause(after: time, isChange: false))) }
    }

    @Test(arguments: [
        -Double.infinity, -.greatestFiniteMagnitude, -9.3e18, -62_167_219_201, 0, 253_402_300_800, 9.3e18,
        .greatestFiniteMagnitude, .infinity,
    ])
    func `any date has a text, whose year has four digits`(_ seconds: Double) {
        let value = FieldValue.date(Date(timeIntervalSince1970: seconds))
        #expect(value.text?.count == 20 && value.date != nil, "\(value)")
    }
}
