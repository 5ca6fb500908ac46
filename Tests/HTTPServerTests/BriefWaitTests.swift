import HTTPServer
import Locking
import Testing
import Threads

/// Answers that are expected so soon that nobody watches their connections, such as those to edits.
@Suite("Brief waits") struct BriefWaitTests {
    private static let ask = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"

    private func answers(_ waiters: [Waiter]) -> [(waiter: Waiter, response: @Sendable () -> Response)] {
        waiters.enumerated().map { number, waiter in (waiter, { Echo.text("number \(number)") }) }
    }

    @Test("that end together are all answered, by all threads, again and again")
    func together() throws {
        let later = Later(isBrief: true)
        try withServer(later.responder) { port throws in
            let clients = try (0..<40).map { _ in try RawClient(port: port) }
            for _ in 0..<20 {
                for client in clients { client.send(Self.ask) }
                Waiter.finish(answers(try clients.map { _ in try later.next() }))
                let bodies = try clients.map { try $0.readAnswer().body }
                #expect(bodies.sorted() == clients.indices.map { "number \($0)" }.sorted())
            }
            #expect(later.ends.all == Array(repeating: 200, count: 800) && later.room.count == 0)
        }
    }

    @Test("of clients that are gone keep no other from its answer", arguments: [1, 3, 19])
    func gone(count: Int) throws {
        let later = Later(isBrief: true)
        try withServer(later.responder) { port throws in
            var clients = try (0..<20).map { _ in try RawClient(port: port) }
            var waiters: [Waiter] = []
            for client in clients {
                client.send(Self.ask)
                waiters.append(try later.next())
            }
            clients.removeFirst(count)
            Waiter.finish(answers(waiters))
            #expect(try clients.map { try $0.readAnswer().body } == (count..<20).map { "number \($0)" })
        }
    }

    @Test("lose no wake while some begin and others end")
    func race() throws {
        let later = Later(isBrief: true)
        let (clients, requests) = (12, 150)
        try withServer(later.responder) { port throws in
            let answered = Guarded(0)
            let threads = try (0..<clients).map { _ in
                try Thread(name: "client") {
                    do {
                        let client = try RawClient(port: port)
                        for _ in 0..<requests {
                            client.send(Self.ask)
                            if try client.readAnswer().status == 200 { answered.withLock { $0 += 1 } }
                        }
                    } catch {
                        // The answers that are missing are counted.
                    }
                }
            }
            var left = clients * requests
            while left > 0 {
                var group = [try later.next()]
                while group.count < min(5, left), later.count > 0 { group.append(try later.next()) }
                left -= group.count
                Waiter.finish(answers(group))
            }
            for thread in threads { thread.join() }
            #expect(answered.withLock { $0 } == clients * requests)
        }
    }

    @Test("are watched after a second: a client that is gone by then is noticed")
    func long() throws {
        let later = Later(isBrief: true)
        try withServer(later.responder) { port throws in
            var gone: RawClient? = try RawClient(port: port)
            gone?.send(Self.ask)
            let left = try later.next()
            let client = try RawClient(port: port)
            client.send(Self.ask)
            let waiter = try later.next()
            gone = nil
            try later.ends.next()
            #expect(left.hasEnded && left.response == nil && !waiter.hasEnded)
            #expect(!left.finish(Echo.text("late")))
            Waiter.finish(answers([left, waiter]))
            #expect(try client.readAnswer().body == "number 1")
        }
    }

    @Test("have the other response when their time is over", arguments: [60, 1_100])
    func timeOut(milliseconds: Int) throws {
        let later = Later(for: .milliseconds(milliseconds), isBrief: true)
        try withClient(later.responder) { client throws in
            let start = ContinuousClock.now
            client.send(Self.ask)
            #expect(try client.readAnswer().status == 304)
            #expect(ContinuousClock.now - start >= .milliseconds(milliseconds))
            #expect(later.ends.all == [304] && later.room.count == 0)
        }
    }

    @Test("end with the server, whether they are being answered or not")
    func stop() throws {
        for _ in 0..<5 {
            let later = Later(isBrief: true)
            let server = try Server(configuration: .varied(), responder: later.responder)
            let clients = try (0..<30).map { _ in try RawClient(port: server.port) }
            for client in clients { client.send(Self.ask) }
            let waiters = try clients.map { _ in try later.next() }
            let answering = try Thread(name: "answering") {
                for waiter in waiters.prefix(20) { Waiter.finish(answers([waiter])) }
            }
            server.stop(grace: .seconds(5))
            answering.join()
            #expect(Set(try clients.map { try $0.readAnswer().status }).isSubset(of: [200, 304]))
            #expect(later.room.count == 0)
        }
    }
}
