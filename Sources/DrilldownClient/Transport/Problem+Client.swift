import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Problem {
    static func badAddress(_ address: String) -> Problem {
        Problem(
            .badAddress, title: "Bad address",
            detail: "'\(address)' is not the address of a service; write it as http://127.0.0.1:8080.")
    }

    /// Returns the problem of a request to which no complete answer arrived.
    ///
    /// - Parameter address: the address of the service.
    static func unreachable(_ target: String, of address: String, error: any Error) -> Problem {
        var problem = Problem(
            .unreachable, title: "Unreachable",
            detail: "\(address) sent no complete answer to \(target.prefix { $0 != "?" }): \(reason(error)).",
            instance: target)
        // On Linux, Foundation reports a connection that ends before the answer as a bad response.
        problem.isConnectionLost = [.networkConnectionLost, .badServerResponse].contains((error as? URLError)?.code)
        return problem
    }

    /// Returns the reason for a missing answer in words, because Foundation does not describe the error on Linux.
    private static func reason(_ error: any Error) -> String {
        guard let code = (error as? URLError)?.code else { return "\(error)" }
        return switch code {
        case .timedOut: "it sent nothing for too long"
        case .cannotConnectToHost: "cannot connect (is the server running?)"
        case .cannotFindHost, .dnsLookupFailed: "its host name is unknown"
        case .networkConnectionLost: "the connection was lost"
        case .notConnectedToInternet: "there is no network"
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            "no secure connection can be made (\(error.localizedDescription))"
        default: error.localizedDescription
        }
    }

    /// Returns the problem of a token provider that failed.
    static func noToken(for address: String, error: any Error) -> Problem {
        Problem(.unreachable, title: "No token", detail: "There is no token for \(address): \(reason(error)).")
    }

    static func answerTooLong(_ target: String, limit: Int) -> Problem {
        Problem(
            .answerTooLong, title: "Answer too long",
            detail: "The answer to \(target) has more than the \(limit) bytes that are allowed.", instance: target)
    }

    /// Returns the problem of an answer with more nested values than the library reads.
    static func answerTooDeep(_ target: String) -> Problem {
        Problem(
            .answerTooDeep, title: "Answer too deep",
            detail:
                "The answer to \(target) has more than the \(JSONReader.deepest) lists and dictionaries within each "
                + "other that this library reads.", instance: target)
    }
}

extension Problem {
    /// Reads the problem from an answer whose status is 400 or higher. If the body does not contain a problem, makes a
    /// problem from the status.
    ///
    /// - Parameter server: the address of the service.
    init(_ answer: Answer, from server: String) {
        if answer.isJSON, let problem = Self.problem(in: answer.body) {
            self = problem
            status = answer.status
            // For a wrong token for reading, the service has the kind of a missing token.
            if kind == .unauthorized, answer.isWithToken { kind = .wrongToken }
            if let sentence = Self.sentences[kind] { detail = sentence }
        } else {
            self.init(
                .foreignRefusal, title: "Status \(answer.status)", status: answer.status,
                detail: "\(server) answered \(answer.target) with the status \(answer.status) and \(answer.summary).",
                instance: answer.target)
        }
        retryAfter = answer.retryAfter
    }

    /// Sentences that replace the sentences of the service, because these explain header fields that an app does not
    /// see.
    private static let sentences: [Kind: String] = [
        .unauthorized: "The service needs a token for this.",
        .wrongToken: "The service does not accept this token here.",
        .preconditionFailed: "Someone else has changed this since it was read.",
        .preconditionRequired: "Another item on this level has the same title, so the edit must name a version.",
    ]

    /// Returns the problem in a body of problem+json (RFC 9457); nil for another body.
    private static func problem(in body: Data) -> Problem? {
        do { return Problem(try JSONReader.fields([UInt8](body))) } catch { return nil }
    }

    private init?(_ members: Fields) {
        guard let type = members["type"]?.text, let detail = members["detail"]?.text else { return nil }
        // A proxy or another program may send a problem, too.
        let isOwn = type.contains("/problems/")
        let name = type.split(separator: "/").last.map(String.init) ?? type
        self.init(
            isOwn ? Kind(rawValue: name) : .foreignRefusal, title: members["title"]?.text ?? name,
            status: members["status"]?.int,
            detail: detail, instance: members["instance"]?.text)
        let common: Set = ["type", "title", "status", "detail", "instance"]
        self.members = Fields(members.lazy.filter { !common.contains($0.name) }.map { ($0.name, $0.value) })
    }

    /// Returns the problem of an answer that does not come from a drilldown service.
    ///
    /// - Parameter reason: the fault, as the end of a sentence.
    static func unreadable(_ answer: Answer, from server: String, reason: String) -> Problem {
        unreadable(
            answer.target, status: answer.status,
            "\(server) answered \(answer.target) with \(answer.summary), which is not the answer of a drilldown service: \(reason)."
        )
    }

    /// Returns the problem of an answer that does not come from a drilldown service.
    ///
    /// - Parameter detail: a sentence about the problem.
    static func unreadable(_ target: String, status: Int? = nil, _ detail: String) -> Problem {
        Problem(.unreadableAnswer, title: "Unreadable answer", status: status, detail: detail, instance: target)
    }
}
