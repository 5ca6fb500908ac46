import Testing
import TreeSources

@testable import TreeStore

@Suite("The schedule of further tries")
struct RetryScheduleTests {
    private let begun = ContinuousClock.now

    /// The pauses after so many failures in a row.
    private func pauses(_ schedule: inout RetrySchedule, count: Int) -> [Duration?] {
        (0..<count).map { _ in
            schedule.fail(at: begun)
            return schedule.next.map { begun.duration(to: $0) }
        }
    }

    @Test("doubles each pause, up to a minute, and begins anew after a success")
    func backOff() {
        var schedule = RetrySchedule(first: .seconds(2), longest: .seconds(60))
        #expect(schedule.next == nil)
        #expect(pauses(&schedule, count: 7) == [2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        schedule.reset()
        #expect(schedule.next == nil)
        #expect(pauses(&schedule, count: 1) == [.seconds(2)])
    }

    @Test("keeps to an interval that is longer than a minute")
    func longInterval() {
        var schedule = RetrySchedule(first: .seconds(300), longest: .seconds(60))
        #expect(pauses(&schedule, count: 2) == [.seconds(300), .seconds(300)])
    }

    @Test("has no further tries for a source that tries by itself")
    func none() {
        var schedule = RetrySchedule(first: nil, longest: .seconds(60))
        #expect(pauses(&schedule, count: 2) == [nil, nil])
    }
}
