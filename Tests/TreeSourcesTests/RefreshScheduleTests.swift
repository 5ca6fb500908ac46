import Testing

@testable import TreeSources

@Suite("The schedule of a remote document")
struct RefreshScheduleTests {
    private let start = ContinuousClock.now

    private func schedule() -> RefreshSchedule {
        var schedule = RefreshSchedule(interval: .seconds(60), from: start)
        schedule.begin(at: start)
        return schedule
    }

    @Test("asks at once, and again soon to learn whether the origin holds its answers back")
    func first() {
        var schedule = schedule()
        #expect(schedule.next == start)
        schedule.succeed(at: start + .milliseconds(5), isWaitApplied: nil, isNew: true)
        #expect(schedule.next == start + .milliseconds(100))
    }

    @Test("asks at the interval where the origin does not")
    func interval() {
        var schedule = schedule()
        schedule.succeed(at: start + .seconds(2), isWaitApplied: false, isNew: false)
        #expect(schedule.next == start + .seconds(62))
        schedule.begin(at: start + .seconds(62))
        schedule.succeed(at: start + .seconds(63), isWaitApplied: nil, isNew: true)
        #expect(schedule.next == start + .seconds(123))
    }

    @Test("asks at once after an answer that was held back")
    func following() {
        var schedule = schedule()
        for isNew in [true, false] {
            schedule.succeed(at: start + .seconds(30), isWaitApplied: true, isNew: isNew)
            #expect(schedule.next == start + .seconds(30))
        }
    }

    @Test("leaves a second between requests to an origin that only claims to hold its answers back")
    func claims() {
        var schedule = schedule()
        schedule.succeed(at: start + .milliseconds(3), isWaitApplied: true, isNew: false)
        #expect(schedule.next == start + .seconds(1))
        schedule.succeed(at: start + .milliseconds(3), isWaitApplied: true, isNew: true)
        #expect(schedule.next == start + .milliseconds(100))
    }

    @Test("doubles the pause with each failure, up to a minute")
    func backOff() {
        var schedule = schedule()
        var pauses: [Duration] = []
        for _ in 0..<8 {
            schedule.fail(at: start, retryAfter: nil, jitter: 0)
            pauses.append(schedule.next - start)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        schedule.fail(at: start, retryAfter: nil, jitter: 1)
        #expect(schedule.next == start + .seconds(30))
        #expect(!schedule.mayWait)
    }

    @Test("begins anew with the pauses after a success")
    func recovery() {
        var schedule = schedule()
        for _ in 0..<5 { schedule.fail(at: start, retryAfter: nil, jitter: 0) }
        schedule.succeed(at: start, isWaitApplied: false, isNew: false)
        #expect(schedule.mayWait)
        schedule.fail(at: start, retryAfter: nil, jitter: 0)
        #expect(schedule.next == start + .seconds(1))
    }
}

@Suite("The pace of a transfer")
struct TransferPaceTests {
    private let start = ContinuousClock.now

    @Test("allows for the time that the origin was asked to wait")
    func silence() {
        var pace = TransferPace(patience: .seconds(30), wait: .seconds(60), from: start)
        #expect(pace.deadline == start + .seconds(90))
        #expect(pace.fault(at: start + .milliseconds(89_999)) == nil)
        #expect(pace.fault(at: start + .seconds(90)) == .silent(.seconds(90)))
    }

    @Test("begins anew where the origin sends the request on")
    func redirect() {
        var pace = TransferPace(patience: .seconds(30), wait: nil, from: start)
        pace.beginAnew(at: start + .seconds(20))
        #expect(pace.fault(at: start + .seconds(40)) == nil)
        #expect(pace.fault(at: start + .seconds(50)) == .silent(.seconds(30)))
    }

    @Test("wants a kilobyte a second of a body, in each stretch of time by itself")
    func slowness() {
        var pace = TransferPace(patience: .seconds(10), wait: .seconds(60), from: start)
        pace.beginBody(at: start + .seconds(50))
        pace.receive(10_240)
        #expect(pace.fault(at: start + .seconds(60)) == nil)
        #expect(pace.deadline == start + .seconds(70))
        pace.receive(10_239)
        #expect(pace.fault(at: start + .seconds(70)) == .slow(.seconds(10)))
    }
}
