import Glibc
import Locking
import Testing
import Threads

@Suite("A wake-up")
struct WakeupTests {
    private let wakeup: Wakeup

    init() throws { wakeup = try Wakeup() }

    /// Whether a thread that polls the descriptor would be woken.
    private var isReadable: Bool {
        var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    /// Whether a signal ends a wait; without one, the wait ends after a minute.
    private static func isWoken(by wakeup: Wakeup) -> Bool {
        let begun = ContinuousClock.now
        wakeup.wait(milliseconds: 60_000)
        return ContinuousClock.now - begun < .seconds(60)
    }

    @Test("keeps a signal until it is forgotten, and several are as one")
    func signals() {
        #expect(!isReadable && !wakeup.reset())
        wakeup.signal()
        wakeup.signal()
        #expect(isReadable && wakeup.reset())
        #expect(!isReadable && !wakeup.reset())
    }

    @Test("does not keep a thread waiting that was signalled before, and forgets the signal then")
    func before() {
        for _ in 0..<2 {
            wakeup.signal()
            #expect(Self.isWoken(by: wakeup))
            #expect(!isReadable)
        }
    }

    @Test("is a new event for waiters on edges when they look at the announced one")
    func edges() {
        var count: UInt64 = 0
        wakeup.signal()
        #expect(unsafe read(wakeup.descriptor, &count, 8) == 8 && count == 1)
        wakeup.signal()
        #expect(!isReadable)
        wakeup.rearm()
        wakeup.signal()
        #expect(isReadable)
    }

    @Test("is never lost, however signals and looks come together")
    func crowd() throws {
        let announced = Guarded(0)
        let threads = try (0..<3).map { number in
            try Thread(name: "signals \(number)") { [wakeup] in
                for _ in 0..<50_000 {
                    announced.withLock { $0 += 1 }
                    wakeup.signal()
                }
            }
        }
        defer { for thread in threads { thread.join() } }
        var seen = 0
        while seen < 150_000 {
            try #require(Self.isWoken(by: wakeup), "after \(seen) signals")
            seen = announced.withLock { $0 }
        }
    }

    @Test("lets a thread go on without a signal when the time is over", arguments: [0, -1, 1])
    func time(_ milliseconds: Int64) {
        wakeup.wait(milliseconds: milliseconds)
        #expect(!isReadable)
    }

    @Test("is not inherited by a program that this one starts")
    func inheritance() {
        #expect(fcntl(wakeup.descriptor, F_GETFD) == FD_CLOEXEC)
    }
}
