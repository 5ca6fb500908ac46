import Glibc
import Testing
import Threads

@testable import HTTPServer

@Suite("Descriptors")
struct DescriptorTests {
    struct Example: CustomTestStringConvertible, Sendable {
        let limit: Int
        let inUse: Int
        let cores: Int
        /// Threads, connections, and sockets that linger.
        let parts: [Int]
        var testDescription: String { "\(inUse) of \(limit) in use, \(cores) threads" }

        init(_ limit: Int, _ inUse: Int, _ cores: Int, _ parts: [Int]) {
            self.limit = limit
            self.inUse = inUse
            self.cores = cores
            self.parts = parts
        }
    }

    @Test(
        "are divided so that a reload finds some",
        arguments: [
            Example(27, 8, 2, [1, 2, 0]), Example(28, 8, 2, [1, 3, 0]), Example(40, 8, 2, [2, 10, 3]),
            Example(64, 8, 2, [2, 28, 9]), Example(64, 8, 16, [4, 25, 8]), Example(256, 12, 2, [2, 151, 50]),
            Example(1024, 8, 2, [2, 670, 223]), Example(1024, 8, 200, [64, 577, 192]),
            Example(1_048_576, 8, 2, [2, 1_047_981, 256]), Example(.max / 2, 8, 2, [2, 1 << 20, 256]),
        ])
    func division(_ example: Example) throws {
        let descriptors = DescriptorLimit(limit: example.limit, inUse: example.inUse)
        let budget = try DescriptorBudget(descriptors: descriptors, threads: example.cores)
        #expect([budget.threads, budget.connections, budget.lingering] == example.parts)
    }

    @Test("that are too few to serve are refused with the number that is needed")
    func tooFew() throws {
        for limit in [0, 8, 16, 24, 26] {
            let error = #expect(throws: ServerError.self) {
                _ = try Server.Configuration().fitted(to: DescriptorLimit(limit: limit, inUse: 8))
            }
            #expect(
                error?.description == """
                    this process may open \(limit) files and sockets at the same time, and serving needs 27 or more; raise the \
                    limit, for instance with 'ulimit -n 1024'
                    """)
        }
        #expect(try Server.Configuration().fitted(to: DescriptorLimit(limit: 27, inUse: 8)).connectionLimit == 2)
        let configuration = Server.Configuration.varied { ($0.laterDescriptors, $0.connectionLimit) = (1, 5_000) }
        #expect(try configuration.fitted(to: DescriptorLimit(limit: 28, inUse: 8)).connectionLimit == 2)
    }

    @Test("leave a thread for each connection at most, and a lower limit as it is")
    func threads() throws {
        let plenty = DescriptorLimit(limit: 4096, inUse: 8)
        let configuration = Server.Configuration.varied {
            $0.threads = 8
            $0.connectionLimit = 3
        }
        let fitted = try configuration.fitted(to: plenty)
        #expect(fitted.connectionLimit == 3 && fitted.threads == 3)
    }

    @Test("in use are counted")
    func count() throws {
        // Other tests open and close some at the same time.
        let limit = DescriptorLimit.raise()
        #expect(limit.inUse >= 3 && limit.inUse < limit.limit)
    }
}

@Suite("The reaper")
struct ReaperTests {
    /// Two connected sockets.
    private static func pair() -> [Int32] {
        var pair: [Int32] = [-1, -1]
        #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        return pair
    }

    @Test("sleeps while there is no connection, until one comes")
    func rest() throws {
        let service = try Service(responder: Echo(), configuration: .varied())
        #expect(service.pause(atMost: 1000) == nil)
        #expect(service.suspended.pause(at: ExactClock.now) == nil)
        let state = ConnectionState(descriptor: -1, deadline: .max / 4)
        service.connections.insert(state)
        // Returns at once: the reaper was signalled.
        service.connections.reaping.wait(milliseconds: nil)
        #expect(service.pause(atMost: 1000) == 1000)
        service.connections.setAside(state)
        #expect(service.pause(atMost: 1000) == nil)
        service.connections.takeBack([state])
        service.connections.reaping.wait(milliseconds: nil)
        #expect(service.pause(atMost: 1000) == 1000)
        service.connections.remove(state)
        #expect(service.pause(atMost: 1000) == nil)
    }

    @Test("sees that a client takes the bytes that were sent, over TCP and over a Unix socket")
    func taken() throws {
        let listener = try Listener(host: "127.0.0.1", port: 0)
        guard case .internet(_, let port) = listener.address else {
            Issue.record("no port")
            return
        }
        let client = try RawClient(port: port)
        let accepted = accept(listener.descriptor, nil, nil)
        defer { close(accepted) }
        let socket = Socket(accepted)
        let before = socket.bytesTaken
        socket.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
        #expect(try client.readAnswer().status == 200)
        // The system of the client has acknowledged them, or will at once.
        while socket.bytesTaken != before + 38 { sched_yield() }
        let pair = Self.pair()
        defer { for end in pair { close(end) } }
        let empty = Socket(pair[0]).bytesTaken
        Socket(pair[0]).send([1, 2, 3])
        #expect(Socket(pair[0]).bytesTaken > empty)
        var bytes = [UInt8](repeating: 0, count: 3)
        #expect(unsafe recv(pair[1], &bytes, 3, 0) == 3 && bytes == [1, 2, 3])
        #expect(Socket(pair[0]).bytesTaken == empty)
    }

    @Test("sees whether a client has sent something or has stopped sending, without reading it")
    func input() throws {
        let pair = Self.pair()
        defer { close(pair[0]) }
        let socket = Socket(pair[0])
        #expect(socket.input == .nothing)
        Socket(pair[1]).send([1])
        #expect(socket.input == .data)
        #expect(socket.input == .data)
        close(pair[1])
        #expect(socket.input == .data)
        #expect(socket.discardInput())
        #expect(socket.input == .end)
        #expect(Socket(-1).input == .nothing)
    }

    @Test func `cuts an answer off once its client has taken nothing for the whole patience`() {
        let pair = Self.pair()
        defer { for end in pair { close(end) } }
        let (state, socket) = (ConnectionState(descriptor: pair[0], deadline: 0), Socket(pair[0]))
        func deadline(at now: Int64) -> Int64 {
            state.endIfLate(at: now, patience: 80)
            return state.deadline
        }
        state.send(at: 1_000, patience: 80)
        #expect([1_010, 1_011].map(deadline) == [1_010, 1_021])
        // Any change of the number of bytes that the client has not yet taken counts as progress.
        socket.send([1])
        #expect([1_050, 1_119].map(deadline) == [1_060, 1_129])
        #expect(socket.input == .nothing)
        #expect(deadline(at: 1_130) == 1_129)
        #expect(socket.input == .end)
    }

    @Test(
        arguments: [
            (true, false, 2_999, false), (true, false, 3_000, true), (true, true, 2_999, true),
            (false, false, 2_999, true),
        ] as [(Bool, Bool, Int64, Bool)])
    func `leaves two seconds for the farewell of an idle connection with TLS`(
        isSecure: Bool, isBusy: Bool, now: Int64, isCut: Bool
    ) {
        let pair = Self.pair()
        defer { for end in pair { close(end) } }
        let state = ConnectionState(descriptor: pair[0], deadline: 1_000, isSecure: isSecure)
        if isBusy { state.beginWork() }
        state.end(at: now)
        #expect(Socket(pair[0]).input == .end)
        #expect(Socket(pair[1]).input == (isCut ? .end : .nothing))
    }

    @Test("handles remaining work when the last connection has gone")
    func left() throws {
        let service = try Service(responder: Echo(), configuration: .varied())
        for _ in 0..<999 { service.heapTrimmer.note() }
        #expect(service.pause(atMost: 1000) == nil)
        service.heapTrimmer.note()
        #expect(service.pause(atMost: 1000) == 1000)
        service.heapTrimmer.giveBack(at: 0)
        #expect(service.pause(atMost: 1000) == nil)
        for _ in 0..<1000 { service.heapTrimmer.note() }
        service.heapTrimmer.giveBack(at: 4_999)
        #expect(service.pause(atMost: 1000) == 1000)
        service.heapTrimmer.giveBack(at: 5_000)
        #expect(service.pause(atMost: 1000) == nil)
        let listener = try Listener(host: "127.0.0.1", port: 0)
        #expect(service.lingering.keep(listener.descriptor, now: 0))
        #expect(service.pause(atMost: 1000) == 20)
        service.lingering.drain(at: .max)
        #expect(service.pause(atMost: 1000) == nil)
        let pair = Self.pair()
        #expect(service.lingering.keep(pair[0], now: 0))
        close(pair[0])
        func sent() -> Int { unsafe send(pair[1], "a", 1, Int32(MSG_NOSIGNAL)) }
        #expect(sent() == 1)
        service.lingering.drain(at: .max)
        #expect(sent() == -1)
        close(pair[1])
    }
}
