import ContentCodings
import HTTPServer
import Levels
import Locking
import TreeStore

/// The long answers that are being sent. As long as an answer is being sent, other requests for the same answer get the
/// same body, whether or not the answer is cached.
final class SharedAnswers: Sendable {
    fileprivate let table = Guarded(Table())

    fileprivate struct Table {
        var entries: [Key: Entry] = [:]
        /// The refused answers, by the publication's number and the size of the body.
        var refused: [Key: (number: Int, bytes: Int)] = [:]
        /// The number of entries that triggers the removal of entries whose body was sent.
        var next = fewest

        static let fewest = 64
    }

    /// A target, and the form of the answer that a request's header selects.
    fileprivate struct Key: Hashable {
        let target: [UInt8]
        let form: UInt64

        init(_ question: Question) {
            target = question.target
            form = question.negotiation.number
        }
    }

    fileprivate struct Entry {
        let head: Representation.Head
        /// The newest publication that is known to show the answer.
        var number: Int
        let shown: ShownHashes?
        let isReplaced: Bool
        /// Whether the body is indented while it is sent.
        let isStream: Bool
        weak var body: Response.Body?
        /// The response without added header lines, if it is still being sent.
        weak var response: Response?

        /// The response for one more request that gets this answer.
        ///
        /// - Parameter body: the body without indentation.
        func response(_ body: Response.Body) -> Response {
            response ?? Response(status: 200, headers: head.headers, body: body)
        }

        func representation(_ body: Response.Body) -> Representation {
            guard isStream else { return Representation(head: head, body: .response(response(body))) }
            return Representation(
                head: head, body: .stream(failure: .unwritten) { () throws(Problem) in IndentedStream(HeldBody(body)) })
        }
    }

    /// A request for an answer that may be shared.
    struct Place {
        fileprivate let key: Key
        fileprivate let inquiry: Inquiry
        fileprivate let isLasting: Bool
        fileprivate let answers: SharedAnswers
    }

    /// The minimum length of a body that is shared, in bytes.
    fileprivate static let shortest = 64 << 10

    /// - Parameter isLasting: whether the answer may be served for another publication that shows the same content.
    func place(_ inquiry: Inquiry, isLasting: Bool) -> Place {
        Place(key: Key(inquiry.question), inquiry: inquiry, isLasting: isLasting, answers: self)
    }

    /// The answer that is being sent to the same request, and whether it was made for an older publication. Nil if no
    /// answer is being sent, or if the publication shows other content.
    func answer(_ inquiry: Inquiry) -> (representation: Representation, isOlder: Bool)? {
        let (key, number) = (Key(inquiry.question), inquiry.publication.number)
        let found: (Entry, Response.Body)? = table.withLock { table in
            guard let entry = table.entries[key], let body = entry.body else { return nil }
            guard entry.number == number || entry.shown?.isSame(as: inquiry) == true else { return nil }
            table.entries[key]?.number = max(entry.number, number)
            return (entry, body)
        }
        guard let (entry, body) = found else { return nil }
        return (entry.representation(body), isOlder: entry.number < number)
    }

    /// The size of the answer to the same request in the same publication, if that answer was refused; otherwise nil.
    /// Until there is room for the answer, further requests are refused without making the answer.
    func refusedBytes(_ inquiry: Inquiry) -> Int? {
        let number = inquiry.publication.number
        return table.withLock { table in
            table.refused[Key(inquiry.question)].flatMap { $0.number == number ? $0.bytes : nil }
        }
    }
}

extension SharedAnswers.Place {
    /// Charges a new response to a budget. Returns nil if the response does not fit. If another thread has just made
    /// the same response, returns a response with the body of that thread.
    func charge(
        _ made: Response, of head: Representation.Head, isReplaced: Bool,
        adding more: HeaderLines, to budget: ResponseBudget
    ) -> Response? {
        guard let body = made.sharedBody, body.count >= SharedAnswers.shortest else { return made.charged(to: budget) }
        let number = inquiry.publication.number
        return answers.table.withLock { table -> Response? in
            if let entry = table.entries[key], !entry.isStream, !made.isStream, entry.number == number,
                entry.isReplaced == isReplaced, entry.head.entityTag == head.entityTag, let known = entry.body,
                known.count == body.count
            {
                return entry.response(known).adding(more).charged(to: budget)
            }
            guard let charged = made.charged(to: budget) else {
                table.noteRefused(key, number: number, bytes: body.count)
                return nil
            }
            table.entries[key] = SharedAnswers.Entry(
                head: head, number: number, shown: isLasting ? ShownHashes(inquiry) : nil, isReplaced: isReplaced,
                isStream: made.isStream, body: body, response: more.isEmpty && !made.isStream ? charged : nil)
            table.removeSent()
            return charged
        }
    }
}

extension SharedAnswers.Table {
    private static let mostRefused = 1_024

    fileprivate mutating func noteRefused(_ key: SharedAnswers.Key, number: Int, bytes: Int) {
        if refused.count >= Self.mostRefused { refused = [:] }
        refused[key] = (number, bytes)
    }

    fileprivate mutating func removeSent() {
        guard entries.count >= next else { return }
        entries = entries.filter { $0.value.body != nil }
        next = max(entries.count * 2, Self.fewest)
    }
}
