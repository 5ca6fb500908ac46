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

@Suite("The pace of readings in vain")
struct RereadPaceTests {
    private let begun = ContinuousClock.now

    @Test("postpones the next reading by ten times the duration of one without news")
    func inVain() {
        var pace = RereadPace()
        let isPutOffAtFirst = pace.putsOff(at: begun)
        #expect(!isPutOffAtFirst)
        pace.note(took: .milliseconds(400), isNew: false, at: begun)
        let isPutOff = pace.putsOff(at: begun + .milliseconds(3_999))
        #expect(isPutOff)
        #expect(pace.next == begun + .seconds(4))
        let isPutOffLater = pace.putsOff(at: begun + .seconds(4))
        #expect(!isPutOffLater)
        #expect(pace.next == nil)
    }

    @Test("puts it off for a minute at most")
    func longReading() {
        var pace = RereadPace()
        pace.note(took: .seconds(20), isNew: false, at: begun)
        _ = pace.putsOff(at: begun)
        #expect(pace.next == begun + .seconds(60))
    }

    @Test("puts nothing off after a reading that brought something")
    func news() {
        var pace = RereadPace()
        pace.note(took: .seconds(1), isNew: false, at: begun)
        _ = pace.putsOff(at: begun)
        pace.begin()
        #expect(pace.next == nil)
        pace.note(took: .seconds(1), isNew: true, at: begun)
        let isPutOff = pace.putsOff(at: begun)
        #expect(!isPutOff)
    }
}
