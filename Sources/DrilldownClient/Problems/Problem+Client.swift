import Foundation

extension Problem {
    /// The text is not the address of a service.
    static func badAddress(_ address: String) -> Problem {
        Problem(
            .badAddress, title: "Bad address",
            detail: "'\(address)' is not the address of a service; it must be as in http://127.0.0.1:8080.")
    }

    /// No answer came.
    static func unreachable(_ target: String, _ error: any Error) -> Problem {
        Problem(
            .unreachable, title: "Unreachable",
            detail: "There is no whole answer to \(target): \(error.localizedDescription)", instance: target)
    }

    /// The answer is longer than the configuration allows.
    static func answerTooLong(_ target: String, limit: Int) -> Problem {
        Problem(
            .answerTooLong, title: "Answer too long",
            detail: "The answer to \(target) has more than the \(limit) bytes that are allowed.", instance: target)
    }
}

extension Problem.Kind {
    /// The text is not the address of a service.
    public static let badAddress = Problem.Kind(rawValue: "bad-address")
    /// No whole answer came: no network, no server, a broken connection, or too long a silence.
    public static let unreachable = Problem.Kind(rawValue: "unreachable")
    /// The answer is longer than the configuration allows.
    public static let answerTooLong = Problem.Kind(rawValue: "answer-too-long")
    /// The answer is not what the service answers.
    public static let unreadableAnswer = Problem.Kind(rawValue: "unreadable-answer")
}
