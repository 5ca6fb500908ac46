import Glibc
import Testing

@testable import Threads

@Suite("A set of waits")
struct WaitSetTests {
    private let wakeup: Wakeup
    private let other: Wakeup

    init() throws {
        wakeup = try Wakeup()
        other = try Wakeup()
    }

    @Test("waits until the earliest of its points in time, and not less")
    func deadlines() {
        var waits = WaitSet()
        #expect(waits.deadline == nil)
        let begun = ContinuousClock.now
        waits.wake(by: begun + .seconds(3_600))
        waits.wake(by: begun + .milliseconds(3))
        waits.wake(by: begun + .seconds(20))
        #expect(waits.deadline == begun + .milliseconds(3))
        waits.add(wakeup.descriptor)
        waits.wait()
        #expect(ContinuousClock.now >= begun + .milliseconds(3))
    }

    @Test(
        arguments: [
            (Duration.seconds(-1), 0), (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1),
            (.nanoseconds(1_000_001), 2), (.seconds(999_999), 999_999_000), (.seconds(1_000_000), 1_000_000_000),
            (.seconds(Int64.max), 1_000_000_000),
        ] as [(Duration, Int32)])
    func `a time is rounded up to milliseconds`(_ time: Duration, _ milliseconds: Int32) {
        #expect(time.pollTimeout == milliseconds)
    }

    @Test("ends when one of several descriptors is ready")
    func descriptors() {
        for ready in [wakeup, other] {
            var waits = WaitSet()
            waits.add(wakeup.descriptor)
            waits.add(other.descriptor)
            waits.wake(by: .now + .seconds(3_600))
            ready.signal()
            waits.wait()
            #expect(ready.reset())
        }
    }

    @Test("holds each descriptor once, with all events, and none that does not exist")
    func joined() {
        var waits = WaitSet()
        waits.add(-1)
        waits.add(wakeup.descriptor)
        waits.add(other.descriptor)
        waits.add(wakeup.descriptor, for: .writing)
        #expect(waits.descriptors == [wakeup.descriptor, other.descriptor])
        // An eventfd can be written to, unless its count is near its limit.
        waits.wake(by: .now + .seconds(3_600))
        waits.wait()
        #expect(!wakeup.reset() && !other.reset())
    }

    @Test("ends when the other side of a descriptor is closed, and is not affected by it the next time")
    func closed() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        var waits = WaitSet()
        waits.add(ends[0])
        close(ends[1])
        // The closed end is an event, too.
        waits.wait()
        close(ends[0])
        waits = WaitSet()
        waits.add(wakeup.descriptor)
        wakeup.signal()
        waits.wait()
        #expect(wakeup.reset())
    }
}
