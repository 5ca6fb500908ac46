import HTTPServer
import Locking

/// The events of one stream of `/changes`: a position in the log, without its own buffer.
///
/// If a reader is so slow that the log has forgotten its next entry, it receives `event: reset`.
final class ChangeStream: EventSource {
    private let log: ChangeLog
    private let state: Guarded<State>

    private struct State {
        /// The number of the publication of the latest entry that was taken.
        var number: Int
        /// What is being sent; `sent` bytes of it have been.
        var piece: [UInt8]
        var sent = 0
    }

    /// How long a client waits before it connects again (HTML, section 9.2.6), in milliseconds.
    private static let retry = 2_000

    /// - Parameter since: the revision that the client has; nil to begin with the current one.
    init(_ log: ChangeLog, since: String?) {
        self.log = log
        let head = "retry: \(Self.retry)\n"
        if let since {
            // An unknown revision counts as older than every entry.
            state = Guarded(State(number: log.number(of: since) ?? -1, piece: Array((head + "\n").utf8)))
        } else {
            let (revision, number) = log.now
            // Sends the revision at which the stream begins, so that the client can resume there even without an event.
            state = Guarded(State(number: number, piece: Array((head + "id: \(revision)\n\n").utf8)))
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece {
        state.withLock { state in
            if state.sent == state.piece.count {
                guard takeUp(&state) else { return .nothing }
            }
            let count = min(buffer.count, state.piece.count - state.sent)
            unsafe buffer.copyBytes(from: state.piece[state.sent..<state.sent + count])
            state.sent += count
            return .bytes(count)
        }
    }

    /// Takes the next event; returns false if there is none yet.
    private func takeUp(_ state: inout State) -> Bool {
        switch log.next(after: state.number) {
        case .nothing: return false
        case .change(let change):
            state.piece = change.event
            state.number += 1
        case .forgotten(let revision, let number):
            state.piece = Change.event(
                named: "reset", revision: revision, data: Array("{\"revision\":\"\(revision)\",\"reset\":true}".utf8))
            state.number = number
        }
        state.sent = 0
        return true
    }
}
