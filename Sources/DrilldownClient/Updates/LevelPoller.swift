/// Polls one level again and again: waits for changes, and asks only for these.
///
/// A level of more than 10,000 rows is read in pages, all of one revision of the document.
struct LevelPoller: Sendable {
    let server: Server
    let target: LevelTarget
    /// The latest state of the level; nil before the first answer.
    var copy: LevelCopy?
    /// The revision that the pages of a long level are of; nil if it is not known.
    var revision: String?
    /// Pages that were read later than `copy`, but perhaps not all of one revision.
    var draft: LevelCopy?
    /// The connection of the requests that wait, and of those just before them.
    ///
    /// A session of their own: no other request has to wait for the connection, and none takes it away. On Linux, a request
    /// that waits on a new connection keeps a processor busy (FoundationNetworking goes on asking whether the socket can
    /// be written). So the first request on the connection is one that does not wait.
    let session = RenewedSession(connections: 1)

    /// A state of the level that differs from the one before.
    struct Change: Sendable {
        var copy: LevelCopy
        /// What differs; nil in the first state.
        var difference: LevelDifference?
    }

    init(_ server: Server, _ target: LevelTarget) {
        (self.server, self.target) = (server, target)
    }

    /// The next state of the level; nil if it is still the same after the time of waiting.
    ///
    /// - Parameter wait: Whether to wait for a change if there is none.
    mutating func next(wait: Bool) async throws -> Change? {
        let seconds = wait ? server.configuration.allowedWait : 0
        guard let copy else { return try await read() }
        if copy.pages.count > 1 {
            if wait, let revision, try await !server.isChanged(since: revision, wait: seconds, over: session) {
                return nil
            }
            return try await readPages()
        }
        let answer = try await answer(known: copy.pages.first, wait: seconds)
        if isLong(answer) { return try await readPages() }
        do {
            return change(to: try copy.applying([answer], limit: limit))
        } catch {
            // The delta does not fit what there is, so the whole level is read.
            return try await read()
        }
    }

    /// Reads the level without regard to what is known.
    private mutating func read() async throws -> Change? {
        let answer = try await answer(known: nil)
        guard case .whole(let level, _) = answer else { throw Problem.unexpectedAnswer(target) }
        return try await isLong(answer) ? readPages() : change(to: (LevelCopy(level, [answer], limit: limit), nil))
    }

    /// The number of rows of a page; nil if the query asks for a page itself.
    var limit: Int? { target.isPage ? nil : LevelTarget.pageSize }

    private func isLong(_ answer: PageAnswer) -> Bool {
        guard let level = answer.level, let limit else { return false }
        return level.count > limit
    }

    /// Takes over a new copy, and tells what changed; nil if nothing did.
    ///
    /// - Parameter assembly: How the rows came about from those of the old copy; nil to compare them.
    mutating func change(to new: (copy: LevelCopy, assembly: RowAssembly?)) -> Change? {
        let old = copy
        guard new.copy.pages != old?.pages else { return nil }
        (copy, draft) = (new.copy, nil)
        let difference = old.map { old in
            new.assembly.map { LevelDifference(from: old.level, to: new.copy.level, $0) }
                ?? LevelDifference(from: old.level, to: new.copy.level)
        }
        return Change(copy: new.copy, difference: difference)
    }

    /// Asks for a page.
    ///
    /// - Parameter known: What there is of this page; the answer tells what changed since then.
    func answer(page: Int = 0, known: LevelCopy.Page?, wait: Int = 0) async throws -> PageAnswer {
        try target.path.check()
        do {
            var request = target.request(page: page, known: known, wait: wait)
            if page == 0 { request.session = session }
            return try await server.page(request)
        } catch let problem as Problem where known != nil && problem.parameter == "since" {
            // The version is of another kind of server, perhaps an older one.
            return try await self.answer(page: page, known: nil)
        }
    }
}

extension Problem {
    static func unexpectedAnswer(_ target: LevelTarget) -> Problem {
        Problem(
            .unreadableAnswer, title: "Unreadable answer",
            detail: "The answer to \(target.path.levelLink) has no rows.", instance: target.path.levelLink)
    }

    /// A page has another number of rows than follows from the number of rows of the level.
    static func incompletePage(_ target: LevelTarget, of level: Level) -> Problem {
        Problem(
            .unreadableAnswer, title: "Unreadable answer",
            detail: "An answer to \(target.path.levelLink) has \(level.rows.count) rows from row \(level.start) on, "
                + "which does not fit a level of \(level.count) rows in pages of \(LevelTarget.pageSize).",
            instance: target.path.levelLink)
    }
}
