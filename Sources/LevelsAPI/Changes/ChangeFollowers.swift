import Bytes
import ContentCodings
import HTTPFields
import HTTPServer
import Levels
import Locking
import PropertyLists
import TreeStore

/// Answers `GET /changes`: immediately, after the next change, or with a stream of events (manual, Refresh).
///
/// A snapshot is served as soon as it is published. Its entry is made a moment later, on another thread. A client that
/// has seen the snapshot must also find the entry, so the client's request waits for the entry.
final class ChangeFollowers: Sendable {
    private let log: ChangeLog
    private let selection: Selection
    private let room: WaitingRoom
    /// The places of requests that wait only for an entry that is about to be made.
    private let earlyRoom: WaitingRoom
    private let waiting = Guarded(Waiting())

    private struct Waiting {
        var polls: [ObjectIdentifier: Poll] = [:]
        var streams: [ObjectIdentifier: EventStream] = [:]
    }

    /// A request that waits for a change after a revision, or for the entry of a publication.
    private struct Poll {
        let waiter: Waiter
        let target: String
        let question: Question
        let negotiation: Negotiation
    }

    /// The part of a poll that determines the answer. The target is not included: clients can write it in many ways,
    /// and only problems name it.
    private struct Question: Hashable {
        let since: String
        /// The wait for a change; nil if the answer may be empty.
        let wait: Wait?
        let isIndented: Bool
        /// The publication that must be recorded before the answer is made.
        let number: Int
        /// Whether the revision `since` was newer than the published revision when the request came.
        let isAhead: Bool
        /// The number of the negotiation.
        let choice: UInt64
    }

    init(log: ChangeLog, selection: Selection, room: WaitingRoom) {
        self.log = log
        self.selection = selection
        self.room = room
        // These clients did not ask for a wait, so the room never refuses them. The limit of connections limits their
        // number.
        earlyRoom = WaitingRoom(capacity: .max, isForEvents: false)
    }

    /// The maximum time that a request waits for the entry of a publication.
    private static let longest = Duration.seconds(30)

    /// - Parameter current: the publication that the client may have seen. The answer is made when the entry of this
    ///   publication exists.
    func answer(
        _ request: Request, query: Query, negotiation: Negotiation, upTo current: Publication
    ) throws(Problem) -> Answer {
        var values = QueryValues()
        try query.readDelivery(request, into: &values)
        try query.readAnswer(into: &values)
        let (isIndented, wait) = (values.delivery.isIndented, values.delivery.wait)
        if Self.wantsStream(request) {
            guard !isIndented else { throw Self.indentedStream }
            return .now(try stream(since: request.field(.lastEventID) ?? values.revision, negotiation: negotiation))
        }
        func question(since: String, number: Int = 0, isAhead: Bool = false) -> Question {
            Question(
                since: since, wait: wait, isIndented: isIndented, number: number, isAhead: isAhead,
                choice: negotiation.number)
        }
        // The client may have a revision from another server. This revision arrives here in a moment.
        let isAhead = values.revision.map(log.isAhead) ?? false
        guard log.now.number >= current.number, !isAhead else {
            let since = values.revision ?? current.snapshot.revision
            let question = question(since: since, number: current.number, isAhead: isAhead)
            return .later(try earlyPoll(question, request: request, negotiation: negotiation))
        }
        let answer = try ChangesAnswer(since: values.revision, in: log)
        let otherwise = try response(answer, wait: wait, isIndented: isIndented, negotiation: negotiation)
        guard let wait, answer.changes.isEmpty else { return .now(otherwise) }
        return .later(
            try poll(
                question(since: answer.since), request: request, negotiation: negotiation, in: room, for: wait.duration,
                otherwise))
    }

    private static let indentedStream = Problem.badParameter(
        "pretty", detail: "'pretty' applies only to JSON, not to a stream of events; omit it.")

    var streamCount: Int { waiting.withLock(\.streams.count) }

    /// Answers the waiting polls and wakes the streams after a change.
    func wake() {
        let (polls, streams) = waiting.withLock { (Array($0.polls.values), Array($0.streams.values)) }
        for stream in streams { stream.wake() }
        for (question, polls) in Dictionary(grouping: polls, by: \.question) { look(polls, question: question) }
    }

    // MARK: Long polls

    /// Waits for the entry of the current publication, and then for a change, if the client asks to wait for one.
    private func earlyPoll(
        _ question: Question, request: Request, negotiation: Negotiation
    ) throws(Problem) -> Waiter {
        let target = String(utf8: request.target)
        let limit = question.isAhead ? AskedRevision.patience : Self.longest
        return try poll(
            question, request: request, negotiation: negotiation, in: question.wait == nil ? earlyRoom : room,
            for: question.wait.map { question.isAhead ? min($0.duration, limit) : $0.duration } ?? limit,
            { [self] in
                do throws(Problem) {
                    return try response(to: question, negotiation: negotiation)
                } catch {
                    return selection.response(to: error, at: target, negotiation: negotiation)
                }
            }())
    }

    private func poll(
        _ question: Question, request: Request, negotiation: Negotiation, in room: WaitingRoom, for time: Duration,
        _ otherwise: @autoclosure @escaping @Sendable () -> Response
    ) throws(Problem) -> Waiter {
        let waiter = room.admit(
            for: time, otherwise: otherwise(), isBrief: question.wait == nil
        ) { [weak self] waiter in
            self?.waiting.withLock { $0.polls[ObjectIdentifier(waiter)] = nil }
        }
        guard let waiter else { throw .tooManyWaiters }
        let poll = Poll(
            waiter: waiter, target: String(utf8: request.target), question: question, negotiation: negotiation)
        waiting.withLock { $0.polls[ObjectIdentifier(waiter)] = poll }
        // A change may have been recorded after the answer was made, but before the poll was stored.
        look([poll], question: question)
        return waiter
    }

    /// Answers polls with the same question, if their wait is over. Polls that wait for a change are answered after a
    /// change. Other polls are answered as soon as their publication is recorded.
    private func look(_ polls: [Poll], question: Question) {
        guard let negotiation = polls.first?.negotiation, log.now.number >= question.number,
            !(question.isAhead && log.isAhead(question.since))
        else { return }
        if question.wait != nil, log.changes(since: question.since)?.isEmpty == true { return }
        do throws(Problem) {
            let response = try response(to: question, negotiation: negotiation)
            for poll in polls { poll.waiter.finish(response) }
        } catch {
            for poll in polls {
                poll.waiter.finish(selection.response(to: error, at: poll.target, negotiation: negotiation))
            }
        }
    }

    private func response(to question: Question, negotiation: Negotiation) throws(Problem) -> Response {
        try response(
            ChangesAnswer(since: question.since, in: log), wait: question.wait, isIndented: question.isIndented,
            negotiation: negotiation)
    }

    private func response(
        _ answer: ChangesAnswer, wait: Wait?, isIndented: Bool, negotiation: Negotiation
    ) throws(Problem) -> Response {
        let rendering = try answer.rendered(adding: wait?.headers ?? [], isIndented: isIndented)
        return try selection.charged(try selection.response(of: rendering, coding: .identity, negotiation: negotiation))
    }

    // MARK: Streams

    /// Whether `Accept` names the type of event streams (HTML, section 9.2).
    private static func wantsStream(_ request: Request) -> Bool {
        var isNamed = false
        request.forEachMediaRange { range in
            guard !isNamed, range.name.isEqual(ignoringCase: "text/event-stream") else { return }
            isNamed = range.quality > 0
        }
        return isNamed
    }

    private func stream(since revision: String?, negotiation: Negotiation) throws(Problem) -> Response {
        let stream = room.admit(ChangeStream(log: log, since: revision)) { [weak self] stream in
            self?.waiting.withLock { $0.streams[ObjectIdentifier(stream)] = nil }
        }
        guard let stream else { throw .tooManyWaiters }
        waiting.withLock { $0.streams[ObjectIdentifier(stream)] = stream }
        // Stops nginx from holding events back until its buffer is full.
        let metadata = RepresentationMetadata(
            contentType: "text/event-stream", entityTag: nil, cacheControl: "no-store", vary: "Accept",
            added: [("X-Accel-Buffering", "no")])
        let lines = selection.header.lines(of: metadata, coding: .identity, for: negotiation.origin)
        return Response(status: 200, headers: lines, events: stream)
    }
}

/// `GET /changes?since=<revision>`: the entries of the publications after a revision (manual, Refresh).
struct ChangesAnswer {
    let since: String
    let changes: [Change]

    /// - Parameter since: nil for a client that begins with the current revision.
    /// - Throws: `Problem` (410) for a revision that the log does not know.
    init(since: String?, in log: ChangeLog) throws(Problem) {
        let revision = log.now.revision
        self.since = since ?? revision
        guard let changes = log.changes(since: self.since) else {
            throw Problem(
                .revisionGone,
                detail:
                    "The revision '\(quoted: self.since)' is unknown: the server was restarted, or its history does not reach back that far."
                    + " Reload what you show, and continue from '\(revision)'.",
                members: [("reset", .flag(true)), ("revision", .text(revision))])
        }
        self.changes = changes
    }

    func rendered(adding headers: HeaderLines, isIndented: Bool) throws(Problem) -> Rendering {
        let compact = try Rendering(vary: "Accept", headers: headers) { (writer) throws(PropertyListError) in
            try writer.member("revision", changes.last?.revision ?? since)
            try writer.member("since", since)
            writer.member("reset", false)
            writer.beginList("changes")
            for change in changes { change.write(to: &writer) }
            writer.endList()
        }
        return isIndented ? compact.indented() : compact
    }
}
