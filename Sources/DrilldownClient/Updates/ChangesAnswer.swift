/// The changes of the document since a revision: the answer to a request for `/changes` (manual, Refresh).
struct ChangesAnswer: Hashable, Sendable {
    /// The last revision whose changes are included. The next request asks for the changes since this revision.
    var revision: String
    /// The links of the changed levels; a link may appear more than once.
    var levels: [String] = []
    /// The links of the changed details.
    var details: [String] = []
    /// Whether the server lists only some of the links, so that all levels and details count as changed.
    var isTruncated = false
    /// The number of changes.
    var count = 0

    static func read(_ bytes: [UInt8]) throws(JSONError) -> ChangesAnswer {
        var reader = JSONReader(bytes)
        var answer = ChangesAnswer(revision: "")
        try reader.object { name, reader throws(JSONError) in
            switch name {
            case "revision": answer.revision = try reader.text()
            case "changes":
                try reader.list { reader throws(JSONError) in try answer.readEntry(&reader) }
            default: try reader.skip()
            }
        }
        try reader.end()
        guard !answer.revision.isEmpty else { throw JSONError(reason: "it has no 'revision'", at: reader.offset) }
        return answer
    }

    /// Returns whether the changes may change the answer to a request for a level.
    ///
    /// The links in the answer lack a query. A changed detail counts, because a row may show any field of the item. For
    /// a search or an outline, a change of any item below the level counts.
    func mayConcern(_ target: LevelTarget) -> Bool {
        func names(_ links: [String], below: Int) -> Bool {
            links.contains { link in
                guard let path = ItemPath(href: link) else { return true }
                let isNear = !target.hasDeltas || path.depth <= target.path.depth + below
                return isNear && path.starts(with: target.path)
            }
        }
        return isTruncated || names(levels, below: 0) || names(details, below: 1)
    }

    private mutating func readEntry(_ reader: inout JSONReader) throws(JSONError) {
        count += 1
        try reader.object { name, reader throws(JSONError) in
            switch name {
            case "levels": levels += try reader.texts()
            case "details": details += try reader.texts()
            case "truncated": if try reader.boolean() { isTruncated = true }
            default: try reader.skip()
            }
        }
    }
}

extension Transport {
    /// Requests the changes since a revision.
    ///
    /// - Parameters:
    ///   - revision: the revision to begin from; nil to request only the current revision.
    ///   - wait: the number of seconds that the server may wait for the first change; 0 for an immediate answer.
    ///   - session: the session that sends the request; nil for the session that most requests share.
    /// - Throws: `Problem`, of the kind `.revisionGone` if the server does not know the revision; `CancellationError`.
    func changes(
        since revision: String?, wait: Int = 0, over session: RenewedSession? = nil
    ) async throws -> ChangesAnswer {
        var parameters: [LevelQuery.Parameter] = []
        if let revision { parameters.append(.init(name: "since", value: revision)) }
        if wait > 0 { parameters.append(.init(name: "wait", value: String(wait))) }
        var request = Request("/changes" + LevelQuery.encode(parameters))
        request.header["Accept"] = "application/json"
        request.wait = wait
        request.session = session
        return try await read(send(request), as: ChangesAnswer.read)
    }

    /// Waits for a change of the document since a revision. Returns false if nothing changes in time, and true if the
    /// server does not know the revision.
    func isChanged(since revision: String, wait: Int, over session: RenewedSession?) async throws -> Bool {
        do {
            return try await changes(since: revision, wait: wait, over: session).count > 0
        } catch let problem as Problem where problem.kind == .revisionGone {
            return true
        }
    }
}
