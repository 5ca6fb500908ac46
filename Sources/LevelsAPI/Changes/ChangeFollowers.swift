import Bytes
import ContentCodings
import HTTPFields
import HTTPServer
import Levels
import Locking
import PropertyLists
import TreeStore

/// Answers `GET /changes`: immediately, after the next change, or with a stream of events (manual, Refresh).
final class ChangeFollowers: Sendable {
    private let log: ChangeLog
    private let selection: Selection
    private let groups: WaitingGroups
    private let room: WaitingRoom
    /// The places of requests that wait only for an entry that is about to be made.
    private let earlyRoom: WaitingRoom
    private let streams = Guarded<[ObjectIdentifier: EventStream]>([:])

    init(log: ChangeLog, selection: Selection, groups: WaitingGroups, room: WaitingRoom) {
        (self.log, self.selection, self.groups, self.room) = (log, selection, groups, room)
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
        if !query.namesFormat, Self.wantsStream(request) {
            guard !isIndented else { throw Self.indentedStream }
            return .now(try stream(since: request.field(.lastEventID) ?? values.revision, negotiation: negotiation))
        }
        let now = log.now
        let isEarly = now.number < current.number
        let follow = FollowLink(options: LinkedOptions(query), format: .json)
        let turn: Turn? =
            if let wait, values.revision != nil {
                Turn(
                    asked: values.delivery.turn, wait: wait, hash: follow.hash("changes", wait: wait), now: groups.now()
                )
            } else { nil }
        let awaited = AwaitedEntry(
            since: values.revision ?? (isEarly ? current.snapshot.revision : now.revision),
            number: isEarly ? current.number : 0, isAhead: values.revision.map(log.isAhead) ?? false,
            target: String(utf8: request.target), wait: wait, turn: turn, follow: follow,
            isFollowing: query.isFollowing, namesFormat: query.namesFormat, isIndented: isIndented,
            negotiation: negotiation.withoutForm, log: log, selection: selection)
        if let response = try awaited.response(at: groups.second) { return .now(response) }
        let longest = awaited.isAhead ? AskedRevision.patience : Self.longest
        let time = turn.map(groups.longestWait) ?? wait?.duration ?? longest
        let waiter = (wait == nil ? earlyRoom : room).admit(
            for: awaited.isAhead ? min(time, longest) : time,
            otherwise: awaited.responseNow(), isBrief: wait == nil)
        guard let waiter else { throw .tooManyWaiters }
        groups.add(waiter, awaiting: awaited, after: nil)
        // The change may have been recorded before the request was added.
        groups.check(awaited.key, for: current)
        return .later(waiter)
    }

    private static let indentedStream = Problem.badParameter(
        "pretty", detail: "'pretty' applies only to JSON, not to a stream of events; omit it.")

    var streamCount: Int { streams.withLock(\.count) }

    /// Wakes the streams after a change.
    func wake() { for stream in streams.withLock({ Array($0.values) }) { stream.wake() } }

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
            self?.streams.withLock { $0[ObjectIdentifier(stream)] = nil }
        }
        guard let stream else { throw .tooManyWaiters }
        streams.withLock { $0[ObjectIdentifier(stream)] = stream }
        // Stops nginx from holding events back until its buffer is full.
        let metadata = RepresentationMetadata(
            contentType: "text/event-stream", entityTag: nil, cacheControl: "no-store", vary: "Accept",
            added: [("X-Accel-Buffering", "no")])
        let lines = selection.header.lines(of: metadata, coding: .identity, for: negotiation.origin)
        return Response(status: 200, headers: lines, events: stream)
    }
}

/// An entry of the log after a revision, for a request that waits for a change. For other requests, the entry of a
/// publication.
///
/// A snapshot is served as soon as it is published. Its entry is made a moment later, on another thread. A client that
/// has seen the snapshot must also find the entry, so the client's request waits for the entry.
struct AwaitedEntry: Awaited {
    let since: String
    /// The publication whose entry must exist before the answer is made.
    let number: Int
    /// Whether the revision `since` was newer than the published revision when the request came. It may come from another
    /// server, and arrives here in a moment.
    let isAhead: Bool
    let target: String
    /// The wait for a change; nil if the answer may be empty.
    let wait: Wait?
    /// The time of the answer, if the request has `since` and `wait`.
    let turn: Turn?
    let follow: FollowLink
    /// Whether the request has the link `follow` of an answer.
    let isFollowing: Bool
    let namesFormat: Bool
    let isIndented: Bool
    let negotiation: Negotiation
    let log: ChangeLog
    let selection: Selection

    var key: WaitingGroups.Key {
        WaitingGroups.Key(
            target: Array(target.utf8), choice: negotiation.number, wait: wait, known: since, turn: turn,
            revision: isAhead ? since : nil, number: number)
    }

    func cost(in publication: Publication, isInTime: Bool) -> Int? { -1 }

    func check(in publication: Publication, at second: Int, end: () -> [Waiter]) {
        let response: Response
        do throws(Problem) {
            guard let ready = try self.response(at: second) else { return }
            response = ready
        } catch {
            response = selection.response(to: error, at: target, negotiation: negotiation)
        }
        for waiter in end() { waiter.finish(response) }
    }

    /// The answer; nil while the request must wait.
    ///
    /// - Parameter second: the time, in seconds since 1970.
    /// - Throws: `Problem` (410) for a revision that the log does not know.
    func response(at second: Int) throws(Problem) -> Response? {
        guard log.now.number >= number, !(isAhead && log.isAhead(since)) else { return nil }
        let changes = try changes()
        if let turn {
            guard turn.isOver(at: second) || !changes.isEmpty && second >= turn.earliest else { return nil }
            return try response(changes)
        }
        return wait == nil || !changes.isEmpty ? try response(changes) : nil
    }

    /// The answer when the time is over.
    func responseNow() -> Response {
        do throws(Problem) {
            return try response(changes())
        } catch {
            return selection.response(to: error, at: target, negotiation: negotiation)
        }
    }

    private func changes() throws(Problem) -> [Change] {
        let revision = log.now.revision
        guard let changes = log.changes(since: since) else {
            throw Problem(
                .revisionGone,
                detail:
                    "The revision '\(quoted: since)' is unknown: the server was restarted, or its history does not reach back that far."
                    + " Reload what you show, and continue from '\(revision)'.",
                members: [
                    ("reset", .flag(true)), ("revision", .text(revision)),
                    ("follow", .link(follow.text("/changes".utf8Span.span, since: revision))),
                ])
        }
        return changes
    }

    private func response(_ changes: [Change]) throws(Problem) -> Response {
        let revision = changes.last?.revision ?? since
        var follow = follow
        follow.turn = turn?.next(at: selection.now() / 1_000)
        var compact = try Rendering(vary: namesFormat ? nil : "Accept", headers: wait?.headers ?? []) {
            (writer) throws(PropertyListError) in
            try writer.member("revision", revision)
            try writer.member("since", since)
            writer.member("reset", false)
            writer.beginList("changes")
            for change in changes { change.write(to: &writer) }
            writer.endList()
            try writer.member("follow", follow.text("\(selection.basePath)/changes".utf8Span.span, since: revision))
        }
        if isFollowing, let turn, let wait {
            selection.header.share(&compact.metadata, turn: turn, isChanged: !changes.isEmpty, wait: wait)
        }
        let rendering = isIndented ? compact.indented() : compact
        return try selection.charged(selection.response(of: rendering, coding: .identity, negotiation: negotiation))
    }
}
