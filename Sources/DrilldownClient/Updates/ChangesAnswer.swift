/// The changes of the document since a revision: the answer to a request for `/changes` (manual, Refresh).
struct ChangesAnswer: Hashable, Sendable {
    /// The link to get next, which is answered with the changes after these.
    var follow: String
    /// The links of the changed levels; a link may appear more than once.
    var levels: [String] = []
    /// The links of the changed details.
    var details: [String] = []
    /// Whether some or all of the links are unknown, so that all levels and details count as changed.
    var isTruncated = false
    /// The number of changes.
    var count = 0

    static func read(_ bytes: [UInt8]) throws(JSONError) -> ChangesAnswer {
        var reader = JSONReader(bytes)
        var answer = ChangesAnswer(follow: "")
        try reader.object { name, reader throws(JSONError) in
            switch name {
            case "follow": answer.follow = try reader.text()
            case "changes":
                try reader.list { reader throws(JSONError) in try answer.readEntry(&reader) }
            default: try reader.skip()
            }
        }
        try reader.end()
        guard !answer.follow.isEmpty else { throw JSONError(reason: "it has no 'follow'", at: reader.offset) }
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
    /// Requests the changes of the document since the latest answer. All levels and details count as changed if there
    /// is no latest answer, or if the server does not know its revision any more.
    ///
    /// - Parameters:
    ///   - link: the link `follow` of the latest answer; nil for the first request.
    ///   - waits: whether the server waits for the first change.
    ///   - session: the session that sends the request; nil for the session that most requests share.
    /// - Throws: `Problem`; `CancellationError`.
    func changes(
        after link: String?, waits: Bool = false, over session: RenewedSession? = nil
    ) async throws -> ChangesAnswer {
        do {
            let answer = try await answer(
                after: link, beginningWith: "/changes", wait: waits ? .full : .none, over: session)
            var changes = try read(answer, as: ChangesAnswer.read)
            if link == nil { changes.isTruncated = true }
            return changes
        } catch let problem as Problem where problem.kind == .revisionGone {
            guard let follow = problem.members["follow"]?.text else { throw problem }
            return ChangesAnswer(follow: follow, isTruncated: true)
        }
    }
}
