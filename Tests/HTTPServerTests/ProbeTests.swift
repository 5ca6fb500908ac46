import Glibc
import HTTPServer
import Testing

@Suite("A probe of a serving thread")
struct ProbeTests {
    /// Waits until the descriptor is readable, and returns whether it is.
    private func isAnswered(_ probe: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: probe, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) == 1
    }

    @Test("is answered by each thread", arguments: [1, 3])
    func answered(threads: Int) throws {
        let server = try Server(configuration: .varied { $0.threads = threads }, responder: Echo())
        #expect(server.threadCount == threads)
        for thread in 0..<threads {
            let probe = try #require(server.probe(thread: thread))
            #expect(isAnswered(probe, milliseconds: 20_000))
            close(probe)
        }
        server.stop(grace: .seconds(5))
        #expect(server.probe(thread: 0) == nil)
    }

    @Test("is not answered by a thread that hangs, while the others answer")
    func hanging() throws {
        let (asked, released) = (Gate(), Gate())
        let responder = Echo(answer: { _ in
            asked.open()
            try? released.pass()
            return Echo.text("late")
        })
        let server = try Server(configuration: .varied { $0.threads = 2 }, responder: responder)
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try asked.pass()
        let probes = try (0..<2).map { try #require(server.probe(thread: $0)) }
        defer { for probe in probes { close(probe) } }
        var entries = probes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        #expect(unsafe poll(&entries, 2, 20_000) == 1)
        released.open()
        for probe in probes { #expect(isAnswered(probe, milliseconds: 20_000)) }
        #expect(try client.readAnswer().body == "late")
    }
}
