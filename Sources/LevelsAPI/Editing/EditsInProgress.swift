import HTTPServer
import Locking
import Threads
import TreeStore

/// The edits that were begun and have not ended, whether or not their clients still wait.
///
/// The edits have a waiting room of their own, so that long polls cannot take the places of edits.
final class EditsInProgress: Sendable {
    private struct Count {
        var edits = 0
        var bytes = 0
        var isDraining = false
    }

    private let count = Guarded(Count())
    private let capacity: Int
    private let byteLimit: Int
    private let room: WaitingRoom
    private let answered = Guarded<[Answered]>([])
    /// Signalled when the last edit ends; nil if the system had no descriptor left.
    private let ended: Wakeup?

    /// An edit that has ended, and whose response has not been sent.
    private struct Answered {
        let waiter: Waiter
        let bytes: Int
        let response: @Sendable () -> Response
    }

    /// The maximum time that a client waits for an edit.
    private static let longest = Duration.seconds(300)

    init(capacity: Int, byteLimit: Int) {
        self.capacity = capacity
        self.byteLimit = byteLimit
        // A client that leaves frees its place in this room before its edit has ended.
        room = WaitingRoom(capacity: capacity, isForEvents: false)
        do { ended = try Wakeup() } catch { ended = nil }
    }

    /// Begins an edit.
    ///
    /// - Parameter otherwise: the response if the client has waited too long, or the server stops.
    /// - Throws: `Problem` (503) for too many edits or bytes, or if the server stops.
    func begin(bytes: Int, otherwise: @autoclosure @escaping @Sendable () -> Response) throws(Problem) -> Waiter {
        let isAdmitted = try count.withLock { (count) throws(Problem) in
            if count.isDraining { throw .stopping }
            guard count.edits < capacity, count.edits == 0 || count.bytes + bytes <= byteLimit else { return false }
            count.edits += 1
            count.bytes += bytes
            return true
        }
        guard isAdmitted else { throw .tooManyEdits }
        guard let waiter = room.admit(for: Self.longest, otherwise: otherwise(), isBrief: true) else {
            discount(1, bytes: bytes)
            throw .tooManyEdits
        }
        return waiter
    }

    /// Ends an edit. At the end of the publisher's turn, the responses to all edits of that turn are sent together. The
    /// thread that sends a response also makes it.
    func end(
        _ waiter: Waiter, bytes: Int, in publications: Publications, response: @escaping @Sendable () -> Response
    ) {
        let isFirst = answered.withLock { answered in
            answered.append(Answered(waiter: waiter, bytes: bytes, response: response))
            return answered.count == 1
        }
        if isFirst { publications.atEndOfTurn(sendResponses) }
    }

    /// Sends the responses to all ended edits. The connections of their clients are woken together.
    private func sendResponses() {
        let answers = answered.withLock { answered in
            defer { answered = [] }
            return answered
        }
        Waiter.finish(answers.map { ($0.waiter, $0.response) })
        discount(answers.count, bytes: answers.reduce(0) { $0 + $1.bytes })
    }

    private func discount(_ edits: Int, bytes: Int) {
        let isLast = count.withLock { count in
            count.edits -= edits
            count.bytes -= bytes
            return count.edits == 0
        }
        if isLast { ended?.signal() }
    }

    /// Refuses further edits, and waits for the edits in progress, but not beyond a deadline.
    func drain(until deadline: ContinuousClock.Instant) {
        count.withLock { $0.isDraining = true }
        while !isEmpty, ContinuousClock.now < deadline, let ended {
            var waits = WaitSet()
            waits.add(ended.descriptor)
            waits.wake(by: deadline)
            waits.wait()
            _ = ended.reset()
        }
    }

    var isEmpty: Bool { count.withLock { $0.edits == 0 } }
}
