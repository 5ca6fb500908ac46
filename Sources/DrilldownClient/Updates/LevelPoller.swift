/// The poller of one level: it waits for changes of the level, and requests only these changes.
///
/// A level of more than 10,000 rows is read in pages. All pages are of the same revision of the document.
struct LevelPoller: Poller {
    private let transport: Transport
    private let target: LevelTarget
    /// The latest state of the level; nil before the first answer.
    var copy: LevelCopy?
    /// The revision of the pages of a long level; nil if the revision is not known.
    private var revision: String?
    /// A newer copy than `copy`, whose pages may be of different revisions; nil without a newer copy.
    private var draft: LevelCopy?
    /// The session that sends the requests; nil for the session that most requests share.
    private var session: RenewedSession?

    init(transport: Transport, target: LevelTarget) {
        (self.transport, self.target) = (transport, target)
    }

    mutating func next(wait: Int, over session: RenewedSession?) async throws -> Level? {
        self.session = session
        return try await next(wait: wait)?.level
    }

    private mutating func next(wait: Int) async throws -> LevelCopy? {
        guard let copy else { return try await read() }
        if isWide {
            if wait > 0, let revision, try await !transport.isChanged(since: revision, wait: wait, over: session) {
                return nil
            }
            return try await readPages()
        }
        let answer = try await answer(known: copy.pages.first, wait: wait)
        if isLong(answer) { return try await readPages() }
        do {
            return change(to: try copy.applying([answer], limit: limit))
        } catch {
            // The delta does not fit the copy, so the whole level is read.
            return try await read()
        }
    }

    var isWide: Bool { copy.map { $0.pages.count > 1 } ?? false }

    mutating func restore(from cache: LevelCache) async -> Level? {
        copy = await cache.copy(of: target)
        return copy?.level
    }

    func keep(in cache: LevelCache, isGone: Bool) { cache.keep(isGone ? nil : copy, of: target) }

    /// Reads the rows of the level instead of the changes since the copy.
    private mutating func read() async throws -> LevelCopy? {
        let answer = try await answer(known: nil)
        guard case .whole(let level, _) = answer else { throw Problem.unexpectedAnswer(target) }
        return try await isLong(answer)
            ? readPages() : change(to: LevelCopy(level: level, answers: [answer], limit: limit))
    }

    /// The number of rows of a page; nil if the query selects one page.
    private var limit: Int? { target.isPage ? nil : LevelTarget.pageSize }

    private func isLong(_ answer: PageAnswer) -> Bool {
        guard let level = answer.level, let limit else { return false }
        return level.count > limit
    }

    /// Stores a new copy and returns it. Returns nil if the new copy equals the old copy.
    private mutating func change(to new: LevelCopy) -> LevelCopy? {
        guard new.pages != copy?.pages else { return nil }
        (copy, draft) = (new, nil)
        return new
    }

    /// Requests a page.
    ///
    /// - Parameter known: the client's copy of the page, to request only the changes; nil to request all rows of the
    ///   page.
    private func answer(page: Int = 0, known: LevelCopy.Page?, wait: Int = 0) async throws -> PageAnswer {
        try target.path.check()
        do {
            var request = target.request(page: page, known: known, wait: wait)
            request.session = session
            return try await transport.page(request)
        } catch let problem as Problem where known != nil && problem.parameter == "since" {
            // The server does not accept the version, because another server or an older release made it.
            return try await self.answer(page: page, known: nil)
        }
    }
}

extension LevelTarget: Observed {
    var link: String { path.levelLink + query.encoded }

    func isConcerned(by changes: ChangesAnswer) -> Bool { changes.mayConcern(self) }

    func poller(_ transport: Transport) -> any Poller<Level> { LevelPoller(transport: transport, target: self) }
}

extension Problem {
    static func unexpectedAnswer(_ target: LevelTarget) -> Problem {
        unreadable(target.path.levelLink, "The answer to \(target.path.levelLink) has no rows.")
    }

    /// Returns the problem for an error that the library did not throw, such as an error of the app's `send`.
    static func unexpectedAnswer(_ address: String) -> Problem {
        unreadable(address, "The answer of \(address) cannot be read.")
    }

    /// Returns the problem of a page whose number of rows does not fit the length of the level.
    static func incompletePage(_ target: LevelTarget, of level: Level) -> Problem {
        unreadable(
            target.path.levelLink,
            "An answer to \(target.path.levelLink) has \(level.rows.count) rows from row \(level.start) on, "
                + "which does not fit a level of \(level.count) rows in pages of \(LevelTarget.pageSize).")
    }
}

extension LevelPoller {
    /// The maximum number of simultaneous requests for the pages of one level.
    private static let concurrency = 4

    /// The error if the level changes while its pages are read.
    private struct Inconsistency: Error {}

    /// Reads all pages of a long level, and repeats this until all pages are of the same state of the level.
    ///
    /// Later rounds are short, because they request only the changes of each page. Therefore a round succeeds at last,
    /// even if the level changes often.
    private mutating func readPages() async throws -> LevelCopy? {
        var rounds = 0
        while true {
            // Pauses from the fourth round on, because behind a proxy the revisions may never agree.
            if rounds > 2 { try await Task.sleep(for: .milliseconds(min(1_000, 50 * rounds))) }
            rounds += 1
            let old = draft ?? copy
            let before = try await transport.changes(since: nil, over: session).revision
            let new: LevelCopy
            do {
                new = try await round(from: old)
            } catch is Inconsistency {
                continue
            }
            if let unchanged = try await revision(at: before), new.isComplete {
                revision = unchanged
                return change(to: new)
            }
            draft = new
        }
    }

    /// Returns the newest revision if the level has not changed since an earlier revision; nil if the level may have
    /// changed.
    private func revision(at earlier: String) async throws -> String? {
        do {
            let changes = try await transport.changes(since: earlier, over: session)
            return changes.mayConcern(target) ? nil : changes.revision
        } catch let problem as Problem where problem.kind == .revisionGone {
            return nil
        }
    }

    private func round(from old: LevelCopy?) async throws -> LevelCopy {
        if let old {
            let answers = try await answers(known: old.pages)
            do {
                return try old.applying(answers, limit: limit)
            } catch {
                // The answers do not fit the copy, so all pages are read again.
            }
        }
        let answers = try await answers(known: [])
        guard let level = answers.first?.level else { throw Problem.unexpectedAnswer(target) }
        do {
            return try LevelCopy(level: level, answers: answers, limit: limit)
        } catch {
            throw Problem.unexpectedAnswer(target)
        }
    }

    /// Requests all pages. The number of pages follows from the length of the level in the first answer.
    private func answers(known: [LevelCopy.Page]) async throws -> [PageAnswer] {
        let first = try await whole(answer(known: known.first), page: 0)
        guard let total = first.level?.count ?? known.first?.total else { throw Problem.unexpectedAnswer(target) }
        let count = max(1, (total + LevelTarget.pageSize - 1) / LevelTarget.pageSize)
        return try await withThrowingTaskGroup(of: (Int, PageAnswer).self) { group in
            // The dictionary grows only as pages arrive: a server that announces a long level without sending rows
            // cannot fill the memory.
            var answers = [0: first]
            for page in 1..<count {
                if page > Self.concurrency, let (page, answer) = try await group.next() { answers[page] = answer }
                add(page, known: known, to: &group)
            }
            for try await (page, answer) in group { answers[page] = answer }
            return answers.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Checks that a page has the number of rows that follows from the level's length, and returns the answer.
    ///
    /// Without this check, a server could make the client read for ever.
    private func whole(_ answer: PageAnswer, page: Int) throws -> PageAnswer {
        guard case .whole(let level, _) = answer else { return answer }
        let rest = max(0, level.count - page * LevelTarget.pageSize)
        guard level.rows.count == min(rest, LevelTarget.pageSize) else {
            throw Problem.incompletePage(target, of: level)
        }
        return answer
    }

    private func add(
        _ page: Int, known: [LevelCopy.Page], to group: inout ThrowingTaskGroup<(Int, PageAnswer), any Error>
    ) {
        group.addTask {
            do {
                let answer = try await answer(page: page, known: page < known.count ? known[page] : nil)
                return (page, try whole(answer, page: page))
            } catch let problem as Problem where problem.parameter == "start" {
                // The level has become shorter.
                throw Inconsistency()
            }
        }
    }
}
