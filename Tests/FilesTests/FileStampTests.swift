import Testing

@testable import Files

@Suite("The stamp of a file") struct FileStampTests {
    private static let extremes = [Int.min, .min + 1, -100_000_000_000, -1, 0, 1, 1_700_000_000, 100_000_000_000, .max]

    @Test("is settled two seconds after the change, and while either clock is wrong", arguments: extremes)
    func settled(seconds: Int) {
        for now in Self.extremes {
            let (change, moment) = (Duration.seconds(seconds) + .nanoseconds(999_999_999), Duration.seconds(now))
            let isNear = abs(Double(seconds) + 0.999_999_999 - Double(now)) <= 2
            #expect(FileStamp.isSettled(changedAt: change, now: moment) == !isNear)
        }
    }

    @Test("is settled later than two seconds after the change, to the nanosecond")
    func boundary() {
        func isSettled(_ seconds: Int, _ nanoseconds: Int) -> Bool {
            FileStamp.isSettled(
                changedAt: .milliseconds(100_500), now: .seconds(seconds) + .nanoseconds(nanoseconds))
        }
        #expect(!isSettled(102, 500_000_000) && isSettled(102, 500_000_001))
        #expect(!isSettled(98, 500_000_000) && isSettled(98, 499_999_999))
    }
}
