extension Server {
    /// Asks for a level, or a page of it, of which an earlier version may be known.
    func page(_ request: Request) async throws -> PageAnswer {
        let answer = try await send(request)
        if answer.status == 304 { return .unchanged }
        switch try read(answer, as: LevelReader.read) {
        case .level(let level): return .whole(level, entityTag: answer.entityTag)
        case .delta(let delta) where delta.isEmpty && delta.since == delta.level.version: return .unchanged
        case .delta(let delta): return .delta(delta, entityTag: answer.entityTag)
        }
    }

    /// Whether the document has changed since a revision, after waiting for that.
    func isChanged(since revision: String, wait: Int, over session: RenewedSession) async throws -> Bool {
        do {
            return try await changes(since: revision, wait: wait, over: session).count > 0
        } catch let problem as Problem where problem.kind == .revisionGone {
            return true
        }
    }
}

extension LevelDelta {
    /// Whether the rows are as they were.
    fileprivate var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }
}
