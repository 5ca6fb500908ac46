import Bytes
import HTTPServer
import Heap
import Levels
import PropertyLists
import TreeStore

/// The requests whose answers take long, such as searches of large trees: they are made one after the other on a thread
/// of low priority, and each connection waits without occupying a thread.
struct LaterAnswers {
    let queue: WorkQueue
    /// Admits those that are answered as soon as it is their turn.
    let room = WaitingRoom(capacity: 128, isForEvents: false)
    /// How long a request waits for its turn at most.
    static let longest = Duration.seconds(30)

    /// - Parameter startWork: runs its argument on a thread of its own.
    init(startWork: @escaping @Sendable (@escaping WorkQueue.Work) -> Void) {
        queue = WorkQueue(capacity: room.capacity, start: startWork)
    }
}

/// The conditions of a request, kept after the request itself is gone.
struct KeptConditions: Sendable {
    private let fields: [(name: String, value: String)]

    init(_ request: Request) {
        var fields: [(name: String, value: String)] = []
        for (name, text) in [(FieldName.ifMatch, "If-Match"), (.ifNoneMatch, "If-None-Match")] {
            request.forEachLine(of: name) { line in fields.append((text, String(utf8: line))) }
        }
        self.fields = fields
    }

    /// A request that has only these conditions.
    var request: Request { Request(target: "/", fields: fields) }
}

extension LevelsAPI {
    /// Answers a request on another thread.
    ///
    /// - Throws: `Problem` (503) if too many requests are ahead, or wait.
    func answerLater(_ inquiry: Inquiry, _ call: Call) throws(Problem) -> Answer {
        let conditions = KeptConditions(call.request)
        let queue = laterAnswers.queue
        @Sendable func busy() -> Response { problem(.tooBusy(for: queue.expectedTime), inquiry) }
        let place: Waiters.Place
        if let wait = inquiry.query.wait {
            guard let reserved = waiters.reserve(for: wait, otherwise: busy()) else { throw .tooManyWaiters }
            place = reserved
        } else {
            guard let waiter = laterAnswers.room.admit(for: LaterAnswers.longest, otherwise: busy()) else {
                throw .tooBusy(for: queue.expectedTime)
            }
            place = Waiters.Place(waiter)
        }
        let isTaken = queue.add { [weak self] in self?.finish(place, inquiry, conditions) }
        if !isTaken { place.waiter.finish(busy()) }
        return .later(place.waiter)
    }

    /// Makes an answer from what is current now, unless the client is gone.
    private func finish(_ place: Waiters.Place, _ inquiry: Inquiry, _ conditions: KeptConditions) {
        guard place.waiter.end == nil else { return }
        let now = publications.current
        do throws(Problem) {
            let item = try Item(at: inquiry.path, in: now.snapshot.document(in: inquiry.language))
            guard let memory = MemoryBudget.reserve(selection.memory(for: inquiry, item)) else { throw .outOfMemory }
            defer { withExtendedLifetime(memory) {} }
            let decided = try decide(inquiry, item, in: now, Condition(conditions.request, inquiry.query))
            switch decided {
            case .response(let response): place.waiter.finish(response)
            case .waits(let selected, let wait, let otherwise):
                place.waiter.otherwise = otherwise
                hold(place, inquiry, item, having: selected, wait, in: now.number)
            }
        } catch {
            place.waiter.finish(problem(error, inquiry))
        }
    }
}
