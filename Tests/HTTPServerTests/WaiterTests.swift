import HTTPServer
import Locking
import TestSupport
import Testing

@Suite("A waiter")
struct WaiterTests {
    private let room = WaitingRoom(capacity: 2)
    private let unchanged = Response(status: 304, headers: [])
    private let fresh = Echo.text("fresh")

    private func admitted(_ onEnd: @escaping @Sendable (Waiter) -> Void) throws -> Waiter {
        let waiter = try #require(room.admit(for: .seconds(30), otherwise: unchanged))
        waiter.onEnd(onEnd)
        return waiter
    }

    @Test("is fulfilled once, without a server")
    func once() throws {
        let ends = Ends<Int?>()
        let waiter = try admitted { ends.append($0.response?.status) }
        #expect(waiter.response == nil && !waiter.hasEnded && room.count == 1)
        #expect(waiter.finish(fresh))
        #expect(!waiter.finish(unchanged) && !waiter.expire())
        #expect(waiter.response === fresh && waiter.hasEnded && room.count == 0)
        #expect(ends.all == [200])
    }

    @Test("has a response that is made when it is asked for, and once")
    func making() throws {
        let ends = Ends<ObjectIdentifier>()
        let waiters = try (0..<2).map { _ in try admitted { ends.append(ObjectIdentifier($0)) } }
        waiters[1].expire()
        let made = Ends<String>()
        let maker: @Sendable () -> Response = {
            made.append("made")
            return Echo.text("fresh")
        }
        Waiter.finish(waiters.map { ($0, maker) })
        #expect(ends.all == waiters.reversed().map { ObjectIdentifier($0) })
        #expect(made.all == [])
        #expect(waiters[0].response === waiters[0].response)
        #expect(made.all == ["made"])
        #expect(waiters[1].response === unchanged && room.count == 0)
    }

    @Test("notifies its latest owner, at once if its wait is over")
    func owners() throws {
        let ends = Ends<String>()
        let waiter = try admitted { _ in ends.append("first") }
        waiter.onEnd { _ in ends.append("second") }
        waiter.expire()
        #expect(ends.all == ["second"])
        waiter.onEnd { _ in ends.append("third") }
        #expect(ends.all == ["second", "third"])
    }

    @Test("gives the other response when its time is over")
    func expiry() throws {
        let ends = Ends<Int?>()
        let waiter = try admitted { ends.append($0.response?.status) }
        #expect(waiter.expire())
        #expect(!waiter.finish(fresh))
        #expect(waiter.response === unchanged && waiter.hasEnded)
        #expect(ends.all == [304])
    }

    @Test("is not admitted where the room is full, and is again when one has ended or was let go")
    func capacity() throws {
        let first = try #require(room.admit(for: .seconds(30), otherwise: unchanged))
        var second = room.admit(for: .seconds(30), otherwise: unchanged)
        #expect(second != nil)
        #expect(room.admit(for: .seconds(30), otherwise: unchanged) == nil)
        first.finish(fresh)
        #expect(room.count == 1)
        second = nil
        #expect(room.count == 0)
    }

    @Test("with many deadlines reached at once has one response, and notifies its owner once")
    func race() throws {
        for _ in 0..<200 {
            let ends = Ends<Int?>()
            let waiter = try admitted { ends.append($0.response?.status) }
            let first = Echo.text("first")
            let wins = Guarded(0)
            try concurrently(3) { number in
                let isFirst =
                    switch number {
                    case 0: waiter.finish(first)
                    case 1: waiter.finish(fresh)
                    default: waiter.expire()
                    }
                if isFirst { wins.withLock { $0 += 1 } }
            }
            #expect(wins.withLock { $0 } == 1)
            #expect(ends.all == [waiter.response?.status])
            #expect(room.count == 0)
        }
    }
}
