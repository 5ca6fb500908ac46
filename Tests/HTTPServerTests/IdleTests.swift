import Testing
import Threads

@testable import HTTPServer

@Suite("A server without clients") struct IdleTests {
    private struct Responding: Responder {
        func respond(to request: Request) -> Answer { .now(Response(status: 200, headers: [])) }
        func response(to failure: RequestFailure, target: String) -> Response { Response(status: 500, headers: []) }
    }

    @Test("has no deadline, so that its threads sleep until they are signalled")
    func pauses() throws {
        let service = try Service(responder: Responding(), configuration: .init())
        #expect(service.suspended.pause(at: ExactClock.now) == nil)
        #expect(service.pause(atMost: 1_000) == nil)
    }
}
