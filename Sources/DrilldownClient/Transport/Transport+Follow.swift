/// How long a request with a link `follow` lets the service wait for a change.
enum FollowWait: Sendable {
    /// The service answers at once.
    case none
    /// The service answers at once if the version has changed, otherwise after a second. A shared cache keeps the
    /// answer for at most a second, whereas it may keep an answer without a wait for longer.
    case brief
    /// The service waits as long as the link says.
    case full
}

extension Transport {
    /// Requests the answer that follows the latest answer (manual, Refresh), or the first answer.
    ///
    /// - Parameters:
    ///   - link: the link `follow` of the latest answer; nil to begin with `target`.
    ///   - target: the target without a known version.
    ///   - wait: how long the service may wait until the latest answer is no longer current.
    ///   - session: the session that sends the request; nil for the session that most requests share.
    func answer(
        after link: String?, beginningWith target: String, wait: FollowWait, over session: RenewedSession?
    ) async throws -> Answer {
        var request = Request(link.map { Self.link($0, wait: wait) } ?? target)
        request.header["Accept"] = "application/json"
        request.session = session
        return try await send(request)
    }

    /// Returns a link `follow` for a wait. Only the full wait ends in the turn that the link names.
    private static func link(_ link: String, wait: FollowWait) -> String {
        if wait == .full { return link }
        let options = Request(link).options.compactMap { option -> Substring? in
            if option.hasPrefix("turn=") { return nil }
            guard option.hasPrefix("wait=") else { return option }
            return wait == .brief ? "wait=1" : nil
        }
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
