import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request that was sent, and what has come of its answer.
final class Exchange: Sendable {
    private let target: String
    private let limit: Int
    private let state = Guarded(State())

    private struct State {
        var continuation: CheckedContinuation<Answer, any Error>?
        var status = 0
        var header: [String: String] = [:]
        var body = Data()
        var problem: Problem?
    }

    init(_ target: String, limit: Int) {
        self.target = target
        self.limit = limit
    }

    func start(_ continuation: CheckedContinuation<Answer, any Error>) {
        state.withLock { $0.continuation = continuation }
    }

    /// Takes the head of the answer; false if the answer is not wanted.
    func receive(_ head: HTTPURLResponse) -> Bool {
        let length = head.expectedContentLength
        return state.withLock { state in
            state.status = head.statusCode
            for (name, value) in head.allHeaderFields {
                if let name = name as? String, let value = value as? String { state.header[name.lowercased()] = value }
            }
            guard length <= Int64(limit) else {
                state.problem = .answerTooLong(target, limit: limit)
                return false
            }
            return true
        }
    }

    /// Takes a piece of the body; false if that makes it too long.
    func receive(_ piece: Data) -> Bool {
        state.withLock { state in
            guard state.body.count + piece.count <= limit else {
                state.problem = .answerTooLong(target, limit: limit)
                state.body = Data()
                return false
            }
            state.body.append(piece)
            return true
        }
    }

    /// Ends the exchange, with the error that ended it.
    func end(_ error: (any Error)?, isCancelled: Bool) {
        let ended = state.withLock { state in
            let ended = state
            state = State()
            return ended
        }
        ended.continuation?.resume(with: result(of: ended, error, isCancelled))
    }

    private func result(of state: State, _ error: (any Error)?, _ isCancelled: Bool) -> Result<Answer, any Error> {
        if let problem = state.problem { return .failure(problem) }
        if isCancelled { return .failure(CancellationError()) }
        if let error { return .failure(Problem.unreachable(target, error)) }
        return .success(Answer(status: state.status, header: state.header, body: state.body, target: target))
    }
}
