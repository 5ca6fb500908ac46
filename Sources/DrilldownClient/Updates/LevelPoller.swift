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
        unreadable(target.path.levelLink, "The answer to \(target.path.levelLink) has no rows.")
    }

    /// A page has another number of rows than follows from the number of rows of the level.
    static func incompletePage(_ target: LevelTarget, of level: Level) -> Problem {
        unreadable(
            target.path.levelLink,
            "An answer to \(target.path.levelLink) has \(level.rows.count) rows from row \(level.start) on, "
                + "which does not fit a level of \(level.count) rows in pages of \(LevelTarget.pageSize).")
    }
}

extension LevelPoller {
    /// The number of requests at a time for the pages of one level.
    private static let concurrency = 4

    /// The pages changed while they were read.
    private struct Inconsistency: Error {}

    /// Reads all pages of a long level, until they are of one state of the level.
    ///
    /// The pages that were read once are only asked for what changed since, so this ends even if the level changes often.
    mutating func readPages() async throws -> Change? {
        var rounds = 0
        while true {
            // Revisions that never agree are told by a proxy rather than by a server.
            if rounds > 2 { try await Task.sleep(for: .milliseconds(min(1_000, 50 * rounds))) }
            rounds += 1
            let old = draft ?? copy
            let before = try await server.changes(since: nil).revision
            let new: (copy: LevelCopy, assembly: RowAssembly?)
            do {
                new = try await round(from: old)
            } catch is Inconsistency {
                continue
            }
            if let unchanged = try await revision(at: before), new.copy.isComplete {
                revision = unchanged
                // What an assembly says refers to the rows that it began with.
                return change(to: (new.copy, draft == nil ? new.assembly : nil))
            }
            draft = new.copy
        }
    }

    /// The newest revision in which the level is what it was in an earlier one; nil if it changed, or if that is unknown.
    private func revision(at earlier: String) async throws -> String? {
        do {
            let changes = try await server.changes(since: earlier, over: session)
            return changes.mayConcern(target) ? nil : changes.revision
        } catch let problem as Problem where problem.kind == .revisionGone {
            return nil
        }
    }

    /// Asks for each page once.
    private func round(from old: LevelCopy?) async throws -> (copy: LevelCopy, assembly: RowAssembly?) {
        if let old {
            let answers = try await answers(known: old.pages)
            do {
                return try old.applying(answers, limit: limit)
            } catch {
                // It cannot be applied: everything is read again.
            }
        }
        let answers = try await answers(known: [])
        guard let level = answers.first?.level else { throw Problem.unexpectedAnswer(target) }
        do {
            return (try LevelCopy(level, answers, limit: limit), nil)
        } catch {
            throw Problem.unexpectedAnswer(target)
        }
    }

    /// The answers for all pages, the first of which tells how many there are.
    private func answers(known: [LevelCopy.Page]) async throws -> [PageAnswer] {
        let first = try await whole(answer(known: known.first), page: 0)
        guard let total = first.level?.count ?? known.first?.total else { throw Problem.unexpectedAnswer(target) }
        let count = max(1, (total + LevelTarget.pageSize - 1) / LevelTarget.pageSize)
        return try await withThrowingTaskGroup(of: (Int, PageAnswer).self) { group in
            // It grows as pages arrive: nothing is reserved for rows that are only announced.
            var answers = [0: first]
            var next = 1
            while next < count || !group.isEmpty {
                if next < count, next <= Self.concurrency {
                    add(next, known, to: &group)
                    next += 1
                } else if let (page, answer) = try await group.next() {
                    answers[page] = answer
                    if next < count {
                        add(next, known, to: &group)
                        next += 1
                    }
                }
            }
            return answers.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// The answer, in which a page that is not the last one must be full: so no server makes the client ask for ever.
    private func whole(_ answer: PageAnswer, page: Int) throws -> PageAnswer {
        guard case .whole(let level, _) = answer else { return answer }
        let rest = max(0, level.count - page * LevelTarget.pageSize)
        guard level.rows.count == min(rest, LevelTarget.pageSize) else {
            throw Problem.incompletePage(target, of: level)
        }
        return answer
    }

    private func add(
        _ page: Int, _ known: [LevelCopy.Page], to group: inout ThrowingTaskGroup<(Int, PageAnswer), any Error>
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

extension Server {
    /// A level with all its rows, however many there are, of one revision of the document.
    ///
    /// `rows(at:matching:)` needs less memory, and gives the first rows earlier.
    ///
    /// - Parameters:
    ///   - path: the item whose level it is.
    ///   - query: what is asked of the level, without a limit or a start.
    /// - Throws: `Problem` for what the server refuses and for what keeps the request from being answered;
    ///   `CancellationError`.
    public func wholeLevel(at path: ItemPath = .root, matching query: LevelQuery = .all) async throws -> Level {
        let query = ["limit", "start", "after"].reduce(query) { $0.removing($1) }
        let target = LevelTarget(path: path, query: query)
        var poller = LevelPoller(self, target)
        guard let level = try await poller.next(wait: false)?.copy.level else { throw Problem.unexpectedAnswer(target) }
        return level
    }
}
