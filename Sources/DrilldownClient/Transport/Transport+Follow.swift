extension Transport {
    /// Requests the answer that follows the latest answer (manual, Refresh), or the first answer.
    ///
    /// - Parameters:
    ///   - link: the link `follow` of the latest answer; nil to begin with `target`.
    ///   - target: the target without a known version.
    ///   - waits: whether the service waits until the latest answer is no longer current. If false, it answers at once.
    ///   - session: the session that sends the request; nil for the session that most requests share.
    func answer(
        after link: String?, beginningWith target: String, waits: Bool, over session: RenewedSession?
    ) async throws -> Answer {
        var request = Request(link.map { waits ? $0 : Self.withoutWait($0) } ?? target)
        request.header["Accept"] = "application/json"
        request.session = session
        return try await send(request)
    }

    /// Removes the options `wait` and `turn` from a link.
    private static func withoutWait(_ link: String) -> String {
        let options = Request(link).options.filter { !$0.hasPrefix("wait=") && !$0.hasPrefix("turn=") }
        return link.prefix { $0 != "?" } + "?" + options.joined(separator: "&")
    }
}

extension Request {
    /// The number of seconds for which the target asks the service to wait; 0 for an immediate answer.
    var wait: Int { options.first { $0.hasPrefix("wait=") }.flatMap { Int($0.dropFirst("wait=".count)) } ?? 0 }

    fileprivate var options: [Substring] { target.drop { $0 != "?" }.dropFirst().split(separator: "&") }
}

extension Problem {
    /// Whether the service may answer the same link later. After any other problem, begin without a link.
    var isOutage: Bool {
        guard let status else { return kind == .unreachable }
        return status >= 500
    }

    /// Whether the server refuses requests only for some time (408 and 429).
    var isTransientRefusal: Bool { status == 408 || status == 429 }

    /// Whether the next request comes only after a pause, although it is another request.
    var asksForPause: Bool { isTransientRefusal || retryAfter != nil }

    /// Returns the problem of an answer without a link `follow`.
    static func notFollowed(_ target: String, by server: String) -> Problem {
        unreadable(
            target,
            "The answer of \(server) to \(target) has no link 'follow', so its changes cannot be observed: the service is older than this library."
        )
    }
}
