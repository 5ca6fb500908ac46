import HTTPServer
import Locking

/// The events of one stream of `/changes`: a place in the log, and no buffer of its own.
///
/// A reader that is so slow that the log forgets what comes next for it is told so by `event: reset`.
final class ChangeStream: EventSource {
    private let log: ChangeLog
    private let state: Guarded<State>

    private struct State {
        /// How many changes have been taken up.
        var number: Int
        /// What is being sent, and how much of it has been.
        var piece: [UInt8]
        var sent = 0
    }

    /// How long a client waits before it connects again (HTML, section 9.2.6), in milliseconds.
    private static let retry = 2_000

    /// - Parameter since: the revision that the client has; nil to begin with what is published now.
    init(_ log: ChangeLog, since: String?) {
        self.log = log
        let head = "retry: \(Self.retry)\n"
        if let since {
            // An unknown one is before all that is remembered.
            state = Guarded(State(number: log.number(of: since) ?? -1, piece: Array((head + "\n").utf8)))
        } else {
            let (revision, number) = log.now
            // The client learns where it begins, so that it can go on from there even if it hears nothing else.
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

    /// Goes on to the next event; false where there is none yet.
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
