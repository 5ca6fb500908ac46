import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Problem {
    /// The text is not the address of a service.
    static func badAddress(_ address: String) -> Problem {
        Problem(
            .badAddress, title: "Bad address",
            detail: "'\(address)' is not the address of a service; it must be as in http://127.0.0.1:8080.")
    }

    /// No whole answer came.
    ///
    /// - Parameter address: the address of the service.
    static func unreachable(_ target: String, of address: String, _ error: any Error) -> Problem {
        Problem(
            .unreachable, title: "Unreachable",
            detail: "\(address) gave no whole answer to \(target.prefix { $0 != "?" }): \(reason(error)).",
            instance: target)
    }

    /// Why no answer came; Foundation has no words for it on Linux.
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

    /// The answer is longer than the configuration allows.
    static func answerTooLong(_ target: String, limit: Int) -> Problem {
        Problem(
            .answerTooLong, title: "Answer too long",
            detail: "The answer to \(target) has more than the \(limit) bytes that are allowed.", instance: target)
    }

    /// The answer has values that are too deep to be read.
    static func answerTooDeep(_ target: String) -> Problem {
        Problem(
            .answerTooDeep, title: "Answer too deep",
            detail:
                "The answer to \(target) has more than the \(JSONReader.deepest) lists and dictionaries within each "
                + "other that this library reads.", instance: target)
    }
}

extension Problem.Kind {
    /// The text is not the address of a service.
    public static let badAddress = Problem.Kind(rawValue: "bad-address")
    /// No whole answer came: no network, no server, a broken connection, or too long a silence.
    public static let unreachable = Problem.Kind(rawValue: "unreachable")
    /// The answer is longer than the configuration allows.
    public static let answerTooLong = Problem.Kind(rawValue: "answer-too-long")
    /// The answer has more than 512 lists and dictionaries within each other, which are not read.
    public static let answerTooDeep = Problem.Kind(rawValue: "answer-too-deep")
    /// Something else than the service refused the request: a proxy, or the login page of a network.
    public static let foreignRefusal = Problem.Kind(rawValue: "about:blank")
    /// The answer is not what the service answers.
    public static let unreadableAnswer = Problem.Kind(rawValue: "unreadable-answer")
}
