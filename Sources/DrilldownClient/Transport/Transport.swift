import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The sender of requests to one service, and the reader of the answers. Connections stay open between requests.
final class Transport: Sendable {
    let configuration: ServerConfiguration
    let memory: AnswerMemory
    /// The session of most requests; the number of connections is the default of most systems.
    private let session: RenewedSession
    private let tokens: TokenMemory?
    /// The pauses after failures. Any answer of the service, except an answer with a temporary problem, ends the pauses
    /// that the service has not asked for.
    let pauses = Pauses()

    init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
        session = RenewedSession(connections: 6, configuration)
        tokens = configuration.tokenProvider.map { TokenMemory($0) }
        memory = AnswerMemory(limit: configuration.maximumMemoryBytes)
    }

    /// Closes all idle connections. Called when no level and no detail is observed any more.
    func closeIdleConnections() { session.close(cancelling: false) }

    /// Sends a request and waits for the answer, whatever the status of the answer. If the service refuses the token
    /// and the provider has another token, sends the request once more with the other token.
    ///
    /// - Throws: `Problem` if the answer is not complete, `CancellationError` if the task was cancelled.
    private func answer(to request: Request) async throws -> Answer {
        guard let tokens, request.url == nil else {
            let token = request.isEdit ? configuration.editToken : configuration.readToken ?? configuration.editToken
            return try await answer(to: request, token: token)
        }
        let token = try await token(of: tokens)
        let answer = try await answer(to: request, token: token)
        guard answer.refusesToken(from: address) else { return answer }
        let other = try await self.token(of: tokens, insteadOf: token)
        return other == token ? answer : try await self.answer(to: request, token: other)
    }

    private func token(of tokens: TokenMemory, insteadOf refused: String? = nil) async throws -> String? {
        do {
            return try await tokens.token(insteadOf: refused)
        } catch let problem as Problem {
            throw problem
        } catch {
            try Task.checkCancellation()
            throw Problem.noToken(for: address, error: error)
        }
    }

    private func answer(to request: Request, token: String?) async throws -> Answer {
        try Task.checkCancellation()
        let exchange = Exchange(target: request.target, of: address, limit: configuration.maximumAnswerBytes)
        var prepared = try urlRequest(for: request, token: token)
        if request.url == nil { await configuration.prepareRequest?(&prepared) }
        let (urlRequest, session, begin) = (prepared, request.session ?? session, ContinuousClock.now)
        func log(_ answer: Answer?, _ error: (any Error)? = nil) {
            configuration.log?(
                .init(
                    method: request.method, target: request.target, status: answer?.status,
                    bytes: answer?.body.count ?? 0, duration: .now - begin, error: error))
        }
        do {
            var answer =
                if let send = configuration.send {
                    try await session.answer(of: exchange) { try await send(urlRequest) }
                } else {
                    try await session.answer(of: exchange, to: urlRequest)
                }
            log(answer)
            answer.isWithToken = token != nil
            return answer
        } catch {
            log(nil, error)
            throw error
        }
    }

    /// Returns whether a request ended because the set of observed targets changed, or by `retryNow`. A function of the
    /// app may throw `CancellationError` for reasons of its own.
    func isGivenUp(_ error: any Error) -> Bool {
        error is RenewedSession.Closed || error is CancellationError && configuration.send == nil
    }

    private func urlRequest(for request: Request, token: String?) throws -> URLRequest {
        guard let url = request.url ?? configuration.url(of: request.target), ServerConfiguration.isWeb(url) else {
            throw Problem.badAddress(request.url?.absoluteString ?? address)
        }
        var result = URLRequest(url: url)
        result.httpMethod = request.method
        result.httpBody = request.body
        result.timeoutInterval = configuration.timeout + Double(request.wait)
        for (name, value) in request.header { result.setValue(value, forHTTPHeaderField: name) }
        if request.url != nil { return result }
        for (name, value) in configuration.headerFields { result.setValue(value, forHTTPHeaderField: name) }
        if let token { result.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return result
    }

    var address: String { configuration.address }
}

extension Transport {
    /// Sends a request, and waits for an answer of success or 304.
    ///
    /// - Throws: `Problem` for any other status and for an incomplete answer, `CancellationError`.
    func send(_ request: Request) async throws -> Answer {
        let answer = try await answer(to: request)
        guard answer.status < 400 else {
            let problem = Problem(answer, from: address)
            if !problem.isTemporary { pauses.end() }
            throw problem
        }
        guard answer.status < 300 || answer.status == 304 else {
            let place = answer.header["location"].map { "it redirects to \($0.prefix(200))" }
            throw Problem.unreadable(answer, from: address, reason: place ?? "its status is \(answer.status)")
        }
        pauses.end()
        return answer
    }

    /// Reads the JSON of an answer.
    ///
    /// - Throws: `Problem` of the kind `.answerTooDeep`; of the kind `.unreadableAnswer` if the answer is not JSON, or
    ///   not the expected JSON.
    func read<Value>(
        _ answer: Answer, as read: (_ bytes: [UInt8]) throws(JSONError) -> Value
    ) throws(Problem) -> Value {
        guard answer.isJSON, (200..<300).contains(answer.status) else {
            let reason = answer.isJSON ? "its status is \(answer.status)" : "it is not announced as JSON"
            throw .unreadable(answer, from: address, reason: reason)
        }
        do {
            return try read([UInt8](answer.body))
        } catch  where error.isTooDeep {
            throw .answerTooDeep(answer.target)
        } catch {
            throw .unreadable(answer, from: address, reason: error.description)
        }
    }

    /// Requests a value in JSON; returns the remembered value if the answer has not changed.
    func value<Value: Sendable>(
        of target: String, as read: (_ bytes: [UInt8]) throws(JSONError) -> Value
    ) async throws -> Value {
        var request = Request(target)
        request.header["Accept"] = "application/json"
        return try await value(of: request) { answer in try self.read(answer, as: read) }
    }

    /// Requests a value; returns the remembered value if the answer has not changed.
    func value<Value: Sendable>(of request: Request, _ read: (Answer) throws -> Value) async throws -> Value {
        var request = request
        let known = memory[request.target]
        let remembered = known?.value as? Value
        if let known, remembered != nil { request.header["If-None-Match"] = known.tag }
        let answer = try await send(request)
        if answer.status == 304 {
            guard let remembered else {
                throw Problem.unreadable(
                    answer, from: address, reason: "its status is 304, although no version was named")
            }
            return remembered
        }
        let value = try read(answer)
        if let tag = answer.entityTag {
            // A value takes about twice as much memory as the bytes of its answer.
            memory.remember(.init(tag: tag, value: value, cost: 2 * answer.body.count + 256), for: request.target)
        }
        return value
    }
}
