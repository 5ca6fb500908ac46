import Foundation

extension Problem {
    /// The problem that an answer with a status from 400 tells, or that it is if it tells none.
    ///
    /// - Parameter server: the address of the service.
    init(_ answer: Answer, from server: String) {
        if answer.isJSON, let told = Self.told(by: answer.body) {
            self = told
            status = answer.status
        } else {
            self.init(
                .foreignRefusal, title: "Status \(answer.status)", status: answer.status,
                detail: "\(server) answered \(answer.target) with the status \(answer.status) and \(answer.summary).",
                instance: answer.target)
        }
        retryAfter = answer.retryAfter
    }

    /// What problem+json tells (RFC 9457); nil if the bytes are not a problem.
    private static func told(by body: Data) -> Problem? {
        do { return Problem(try JSONReader.fields([UInt8](body))) } catch { return nil }
    }

    private init?(_ members: Fields) {
        guard let type = members["type"]?.text, let detail = members["detail"]?.text else { return nil }
        // Other programs have problems too: a proxy, for example.
        let isOwn = type.contains("/problems/")
        let name = type.split(separator: "/").last.map(String.init) ?? type
        self.init(
            isOwn ? Kind(rawValue: name) : .foreignRefusal, title: members["title"]?.text ?? name,
            status: members["status"]?.int,
            detail: detail, instance: members["instance"]?.text)
        let common: Set = ["type", "title", "status", "detail", "instance"]
        self.members = Fields(members.lazy.filter { !common.contains($0.name) }.map { ($0.name, $0.value) })
    }

    /// The answer is not what the service answers.
    ///
    /// - Parameter reason: what is wrong with it, as the end of a sentence.
    static func unreadable(_ answer: Answer, from server: String, _ reason: String) -> Problem {
        unreadable(
            answer.target, status: answer.status,
            "\(server) answered \(answer.target) with \(answer.summary), which is not the answer of a drilldown service: \(reason)."
        )
    }

    /// The answer to a request for a target is not what the service answers.
    static func unreadable(_ target: String, status: Int? = nil, _ detail: String) -> Problem {
        Problem(.unreadableAnswer, title: "Unreadable answer", status: status, detail: detail, instance: target)
    }
}
