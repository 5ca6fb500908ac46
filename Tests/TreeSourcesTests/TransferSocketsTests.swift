import Testing
import Threads

@testable import TreeSources

/// The sockets of a transfer (libcurl, `CURLMOPT_SOCKETFUNCTION`).
@Suite struct TransferSocketsTests {
    @Test("A socket is waited for as curl asks: for nothing, to read, to write, for both, and no more")
    func sockets() {
        let sockets = TransferSockets()
        let events = (0...4 as ClosedRange<Int32>).map { action -> WaitSet.Events? in
            sockets.watch(5, for: action)
            return sockets.events[5]
        }
        #expect(events == [nil, .reading, .writing, [.reading, .writing], nil])
    }
}
