import Bytes
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// The handlers of the methods that change the document.
extension LevelsAPI {
    /// `POST /levels/<path>`.
    func insert(_ call: Call, by token: AccessToken) throws(Problem) -> Answer {
        let path = try ItemPath(requested: call.path)
        var query = LevelQuery()
        try query.readAnswer(call.query)
        let body = try EditBody(call.request)
        let edit = Edit.insert(body.value, below: path, at: query.place ?? .last, section: query.section)
        let condition = EditCondition(call.request, on: .level, at: path)
        return try submit(
            [edit], body.isExact, [condition], PendingEdit(.item, pointers: [], call, selection), by: token)
    }

    /// `PUT /detail/<path>`.
    func put(_ call: Call, by token: AccessToken) throws(Problem) -> Answer {
        try editItem(call, by: token) { path, body in
            .put(body, at: path, onlyIfNew: call.request.field(.ifNoneMatch) == "*")
        }
    }

    /// `PATCH /detail/<path>`.
    func patch(_ call: Call, by token: AccessToken) throws(Problem) -> Answer {
        try editItem(call, by: token) { path, body in .patch(body, at: path) }
    }

    private func editItem(
        _ call: Call, by token: AccessToken, _ edit: (ItemPath, PropertyListValue) -> Edit
    ) throws(Problem) -> Answer {
        let path = try ItemPath(requested: call.path)
        try call.query.check()
        let body = try EditBody(call.request)
        let condition = EditCondition(call.request, on: .detail, at: path)
        let pending = PendingEdit(.item, pointers: [""], call, selection)
        return try submit([edit(path, body.value)], body.isExact, [condition], pending, by: token)
    }

    /// `DELETE /detail/<path>`.
    func delete(_ call: Call, by token: AccessToken) throws(Problem) -> Answer {
        let path = try ItemPath(requested: call.path)
        try call.query.check()
        let condition = EditCondition(call.request, on: .detail, at: path)
        return try submit(
            [.delete(path)], true, [condition], PendingEdit(.item, pointers: [], call, selection), by: token)
    }

    /// `POST /moves`.
    func move(_ call: Call, by token: AccessToken) throws(Problem) -> Answer {
        try call.query.check()
        let body = try EditBody(call.request)
        let move = try MoveDocument(body.value)
        let condition = EditCondition(call.request, on: .detail, at: move.from)
        // The members 'at' and 'section' are beside the item.
        let pending = PendingEdit(.item, pointers: ["/from"], call, selection)
        return try submit([move.edit], body.isExact, [condition], pending, by: token)
    }

    /// `POST /edits`.
    func editSteps(_ call: Call, by token: AccessToken) throws(Problem) -> Answer {
        try call.query.check()
        guard !call.request.hasAny(of: [.ifMatch, .ifNoneMatch]) else { throw .conditionOnSteps }
        let body = try EditBody(call.request)
        let steps = try EditSteps(body.value).steps
        let pending = PendingEdit(.steps, pointers: steps.map(\.pointer), call, selection)
        return try submit(steps.map(\.edit), body.isExact, steps.map(\.condition), pending, by: token)
    }

    /// `PUT /document`.
    func replaceDocument(_ call: Call, by token: AccessToken) throws(Problem) -> Answer {
        try call.query.check()
        let condition = EditCondition(call.request, on: .document, at: try ItemPath(requested: Span()))
        let pending = PendingEdit(.document, pointers: [""], call, selection)
        return try submit(.document(call.request.body), [condition], pending, by: token)
    }

    /// `POST /reload`.
    func reload(_ call: Call) throws(Problem) -> Answer {
        try call.query.check()
        let pending = PendingEdit(.document, pointers: [], call, selection)
        guard let editor = configuration.editing?.editor else { throw .unwritten }
        let waiter = try edits.begin(bytes: 0, otherwise: pending.response(to: .unfinishedReload))
        editor.reload { [edits, selection, publications] outcome in
            edits.end(waiter, bytes: 0, in: publications) { ReloadAnswer.response(to: outcome, pending, selection) }
        }
        return .later(waiter)
    }

    private func submit(
        _ edits: [Edit], _ isExact: Bool, _ conditions: [EditCondition?], _ pending: PendingEdit, by token: AccessToken
    ) throws(Problem) -> Answer {
        try submit(.edits(EditBatch(edits, isExact: isExact)), conditions, pending, by: token)
    }

    /// Has the editor carry out an edit, and answers when that has ended.
    ///
    /// The edit is done even if the client is gone by then.
    ///
    /// - Throws: `Problem` (503) if too many edits are in progress.
    private func submit(
        _ content: EditRequest.Content, _ conditions: [EditCondition?], _ pending: PendingEdit, by token: AccessToken
    ) throws(Problem) -> Answer {
        let conditions = conditions.compactMap(\.self)
        let bytes = pending.bodyBytes
        guard let editor = configuration.editing?.editor else { throw .unwritten }
        let waiter = try edits.begin(bytes: bytes, otherwise: pending.response(to: .unfinishedEdit))
        editor.edit(
            EditRequest(
                content, author: token.name,
                precondition: { [selection] snapshot throws(EditRefusal) in
                    var known = KnownTags()
                    for condition in conditions { try condition.check(snapshot, selection, &known) }
                },
                answer: { [edits, publications] outcome in
                    edits.end(waiter, bytes: bytes, in: publications) { pending.response(to: outcome) }
                }))
        return .later(waiter)
    }

    /// Waits until all edits in progress have ended, or until a time; their clients are answered then.
    public func finishEdits(until deadline: ContinuousClock.Instant) { edits.drain(until: deadline) }
}

extension Problem {
    /// 400 for a condition that nothing would check, so that no client relies on it.
    fileprivate static let conditionOnSteps = Problem(
        .badRequest,
        "If-Match and If-None-Match cannot tell which step they are about; give the step the member 'ifMatch' instead.")
}
