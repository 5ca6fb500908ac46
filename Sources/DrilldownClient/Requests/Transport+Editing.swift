extension Transport {
    /// Performs an edit, and returns the item.
    func changedItem(_ edit: Edit) async throws -> Detail {
        try read(try await answer(to: edit), as: DetailReader.read)
    }

    func answer(to edit: Edit) async throws -> Answer {
        try edit.checkPaths()
        do {
            return try await send(edit.request)
        } catch let problem as Problem {
            throw try await conflict(edit, problem: problem) ?? problem
        }
    }

    /// Merges changes into the fields of an item, unless one of these fields has got another value since the item was
    /// read.
    func merge(_ changes: Fields, into detail: Detail) async throws -> Detail {
        var version = detail.fieldsVersion
        while true {
            do {
                return try await changedItem(.patch(changes, at: detail.path, ifMatch: version))
            } catch let conflict as EditConflict {
                // Each attempt needs another version than the attempt before, so the loop ends as soon as no other
                // client edits the item. The other client may have made the same change.
                guard conflict.isOutdated, case .detail(let current) = conflict.current,
                    current.fieldsVersion != version,
                    changes.allSatisfy({ current[$0] == detail[$0] || current[$0] ?? .null == $1 })
                else { throw conflict }
                version = current.fieldsVersion
            }
        }
    }

    /// Returns the conflict for a problem with the status 409, 412 or 428; nil for any other problem.
    ///
    /// The current item or level in the conflict is requested from the server.
    func conflict(_ edit: Edit, problem: Problem) async throws -> EditConflict? {
        guard let status = problem.status, [409, 412, 428].contains(status) else { return nil }
        var conflict = EditConflict(edit: edit, current: try await current(for: edit), problem: problem)
        if conflict.isOutdated, conflict.current == .missing {
            conflict.problem.detail = "Someone else has deleted this since it was read."
        }
        return conflict
    }

    private func current(for edit: Edit) async throws -> EditConflict.Current {
        do {
            if case .insert(_, let level, _, _) = edit.action {
                return .level(try await self.level(of: level.levelLink))
            }
            return .detail(try await detail(at: edit.path))
        } catch let problem as Problem {
            return problem.status == 404 ? .missing : .unknown(problem)
        }
    }
}
