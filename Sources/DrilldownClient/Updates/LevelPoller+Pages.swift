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
