/// The poller of one level: it requests only the changes of the level, with the link of its latest answer.
///
/// A level of more than 10,000 rows is read in pages. All pages are of the same revision of the document.
struct LevelPoller: Poller {
    private let transport: Transport
    private let target: LevelTarget
    /// The latest state of the level; nil before the first answer.
    private var copy: LevelCopy?
    /// A newer copy than `copy`, whose pages may be of different revisions; nil without a newer copy.
    private var draft: LevelCopy?
    /// The session that sends the requests; nil for the session that most requests share.
    private var session: RenewedSession?

    init(transport: Transport, target: LevelTarget) {
        (self.transport, self.target) = (transport, target)
    }

    mutating func next(_ wait: FollowWait, over session: RenewedSession?) async throws -> Level? {
        self.session = session
        if isWide { return try await readPages() }
        // The service refuses the version of a search or an outline, unless it waits.
        let wait = wait == .none && !target.hasDeltas ? .brief : wait
        let answer = try await answer(known: copy?.pages.first, wait: wait)
        if isLong(answer) { return try await readPages() }
        do {
            return change(to: try (copy ?? .empty).applying([answer], limit: limit))
        } catch {
            guard follow != nil else { throw Problem.unexpectedAnswer(target) }
            // The delta does not fit the copy, so the whole level is read.
            beginAnew()
            return try await next(.none, over: session)
        }
    }

    var isWide: Bool { copy.map { $0.pages.count > 1 } ?? false }

    var follow: String? { copy?.pages.first?.follow }

    mutating func beginAnew() {
        draft = nil
        for page in copy?.pages.indices ?? 0..<0 { copy?.pages[page].follow = nil }
    }

    mutating func restore(from cache: CopyCache) async -> Level? {
        copy = await cache.copy(of: target.link)
        return copy?.level
    }

    func keep(in cache: CopyCache, isGone: Bool) { cache.keep(isGone ? nil : copy, of: target.link) }

    /// The number of rows of a page; nil if the query selects one page.
    private var limit: Int? { target.isPage ? nil : LevelTarget.pageSize }

    private func isLong(_ answer: LevelAnswer) -> Bool { limit.map { answer.level.count > $0 } ?? false }

    /// Stores a new copy and returns its level. Returns nil if the level has not changed.
    private mutating func change(to new: LevelCopy) -> Level? {
        let isChanged = new.level.version != copy?.level.version
        (copy, draft) = (new, nil)
        return isChanged ? new.level : nil
    }

    /// Requests a page.
    ///
    /// - Parameter known: the client's copy of the page; nil to request all rows of the page.
    private func answer(page: Int = 0, known: LevelCopy.Page?, wait: FollowWait = .none) async throws -> LevelAnswer {
        try target.path.check()
        let link = target.link(page: page)
        let isVersioned = wait != .none || target.hasDeltas
        let answer = try await transport.answer(
            after: isVersioned ? known?.follow : nil, beginningWith: link, wait: wait, over: session)
        let level = try transport.read(answer, as: LevelReader.read)
        guard level.follow != nil else { throw Problem.notFollowed(link, by: transport.address) }
        return level
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
    private mutating func readPages() async throws -> Level? {
        var rounds = 0
        while true {
            // Pauses from the fourth round on, because behind a proxy the revisions may never agree.
            if rounds > 2 { try await Task.sleep(for: .milliseconds(min(1_000, 50 * rounds))) }
            rounds += 1
            let old = draft ?? copy
            let before = try await transport.changes(after: nil, over: session)
            let new: LevelCopy
            do {
                new = try await round(from: old)
            } catch is Inconsistency {
                continue
            }
            let since = try await transport.changes(after: before.follow, over: session)
            if new.isComplete, !since.mayConcern(target) { return change(to: new) }
            draft = new
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
        do {
            return try LevelCopy.empty.applying(try await answers(known: []), limit: limit)
        } catch is LevelDelta.Misfit {
            throw Problem.unexpectedAnswer(target)
        }
    }

    /// Requests all pages. The number of pages follows from the length of the level in the first answer.
    private func answers(known: [LevelCopy.Page]) async throws -> [LevelAnswer] {
        let first = try await checked(answer(known: known.first), page: 0)
        let count = max(1, (first.level.count + LevelTarget.pageSize - 1) / LevelTarget.pageSize)
        return try await withThrowingTaskGroup(of: (Int, LevelAnswer).self) { group in
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
    private func checked(_ answer: LevelAnswer, page: Int) throws -> LevelAnswer {
        let rest = max(0, answer.level.count - page * LevelTarget.pageSize)
        guard answer.delta != nil || answer.level.rows.count == min(rest, LevelTarget.pageSize) else {
            throw Problem.incompletePage(target, of: answer.level)
        }
        return answer
    }

    private func add(
        _ page: Int, known: [LevelCopy.Page], to group: inout ThrowingTaskGroup<(Int, LevelAnswer), any Error>
    ) {
        group.addTask {
            do {
                let answer = try await answer(page: page, known: page < known.count ? known[page] : nil)
                return (page, try checked(answer, page: page))
            } catch let problem as Problem where problem.parameter == "start" {
                // The level has become shorter.
                throw Inconsistency()
            }
        }
    }
}
