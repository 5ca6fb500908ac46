import Bytes
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// The handlers of the methods that change the document.
extension LevelsAPI {
    /// `POST /levels/<path>`.
    func insert(_ call: Call) throws(Problem) -> Answer {
        var values = QueryValues()
        try call.query.readAnswer(into: &values)
        let (path, position, section) = (call.item, values.position, values.section)
        let condition = EditCondition(request: call.request, on: .level, at: path)
        return try submit(bodyOf: call, subject: .item) { body in
            [EditStep(edit: .insert(body, below: path, at: position, section: section), condition: condition)]
        }
    }

    /// `PUT /detail/<path>`.
    func put(_ call: Call) throws(Problem) -> Answer {
        let onlyIfNew = call.request.field(.ifNoneMatch) == "*"
        return try editItem(call) { path, body in .put(body, at: path, onlyIfNew: onlyIfNew) }
    }

    /// `PATCH /detail/<path>`.
    func patch(_ call: Call) throws(Problem) -> Answer {
        try editItem(call) { path, body in .patch(body, at: path) }
    }

    private func editItem(
        _ call: Call, _ edit: @escaping @Sendable (ItemPath, PropertyListValue) -> Edit
    ) throws(Problem) -> Answer {
        let path = call.item
        let condition = EditCondition(request: call.request, on: .detail, at: path)
        return try submit(bodyOf: call, subject: .item) { body in
            [EditStep(edit: edit(path, body), condition: condition, at: "")]
        }
    }

    /// `DELETE /detail/<path>`.
    func delete(_ call: Call) throws(Problem) -> Answer {
        let condition = EditCondition(request: call.request, on: .detail, at: call.item)
        return try submit(
            [EditStep(edit: .delete(call.item), condition: condition)], isExact: true,
            pending: try pending(call, subject: .item))
    }

    /// `POST /moves`.
    func move(_ call: Call) throws(Problem) -> Answer {
        let headers = KeptConditions(call.request)
        return try submit(bodyOf: call, subject: .item) { [basePath = configuration.basePath] body throws(Problem) in
            let (move, from) = try EditOperation.move(body, under: basePath)
            // The pointer names the member `from`, because `at` and `section` are members of the same object.
            return [
                EditStep(
                    edit: move, condition: EditCondition(request: headers.request, on: .detail, at: from), at: "/from")
            ]
        }
    }

    /// `POST /edits`.
    func editSteps(_ call: Call) throws(Problem) -> Answer {
        guard !call.request.hasAny(of: [.ifMatch, .ifNoneMatch]) else { throw .conditionOnSteps }
        return try submit(bodyOf: call, subject: .steps) { [basePath = configuration.basePath] body throws(Problem) in
            try EditSteps.read(body, under: basePath)
        }
    }

    /// `PUT /document`.
    func replaceDocument(_ call: Call) throws(Problem) -> Answer {
        let condition = EditCondition(request: call.request, on: .document, at: .root)
        var pending = try pending(call, subject: .document)
        pending.pointers = [""]
        let waiter = try begin(pending)
        carryOut(
            .document(call.request.body), conditions: [condition].compactMap(\.self), pending: pending, for: waiter)
        return .later(waiter)
    }

    /// `POST /reload`.
    func reload(_ call: Call) throws(Problem) -> Answer {
        let pending = try pending(call, subject: .document)
        guard let editor = configuration.editing?.editor else { throw .unwritten }
        let waiter = try edits.begin(bytes: 0, otherwise: pending.response(to: .unfinishedReload))
        editor.reload { [edits, publications] outcome in
            edits.end(waiter, bytes: 0, in: publications) { pending.response(to: outcome) }
        }
        return .later(waiter)
    }

    private func pending(_ call: Call, subject: PendingEdit.Subject) throws(Problem) -> PendingEdit {
        var values = QueryValues()
        try call.query.readDelivery(call.request, into: &values)
        return PendingEdit(
            subject: subject, request: call.request,
            revision: try AskedRevision.read(
                values.delivery.revision, request: call.request, in: call.publication.snapshot),
            by: call.author, negotiation: call.negotiation, selection: selection)
    }

    /// Submits the edits in the body of a request. A long body is read on another thread.
    ///
    /// - Parameter steps: makes the edits from the value in the body.
    /// - Throws: `Problem` (400, 422) for a short body, and 503 if too many edits are in progress. If a long body has a
    ///   problem, the answer reports it.
    private func submit(
        bodyOf call: Call, subject: PendingEdit.Subject,
        _ steps: @escaping @Sendable (PropertyListValue) throws(Problem) -> [EditStep]
    ) throws(Problem) -> Answer {
        let body = SentBody(call.request)
        let pending = try pending(call, subject: subject)
        guard body.isLong else { return try submit(steps(body.value()), isExact: body.isExact, pending: pending) }
        let waiter = try begin(pending)
        _ = bodyQueue.add { [self] in
            do throws(Problem) {
                carryOut(try steps(body.value()), isExact: body.isExact, pending: pending, for: waiter)
            } catch {
                edits.end(waiter, bytes: pending.bodyBytes, in: publications) { pending.response(to: error) }
            }
        }
        return .later(waiter)
    }

    private func submit(_ steps: [EditStep], isExact: Bool, pending: PendingEdit) throws(Problem) -> Answer {
        let waiter = try begin(pending)
        carryOut(steps, isExact: isExact, pending: pending, for: waiter)
        return .later(waiter)
    }

    private func begin(_ pending: PendingEdit) throws(Problem) -> Waiter {
        guard configuration.editing != nil else { throw .unwritten }
        guard publications.current.snapshot.rows == nil else { throw .notEditableHere }
        return try edits.begin(bytes: pending.bodyBytes, otherwise: pending.response(to: .unfinishedEdit))
    }

    private func carryOut(_ steps: [EditStep], isExact: Bool, pending: PendingEdit, for waiter: Waiter) {
        var pending = pending
        pending.pointers = steps.compactMap(\.pointer)
        let edits = steps.map(\.edit)
        let tagged = steps.indices.filter { steps[$0].condition?.namesTag == true }
        let batch = EditBatch(edits, isExact: isExact, tagged: Set(tagged))
        carryOut(.edits(batch), conditions: steps.compactMap(\.condition), pending: pending, for: waiter) {
            snapshot throws(EditRefusal) in
            for edit in edits { try edit.checkDatabases(in: snapshot) }
        }
    }

    /// Passes an edit that was begun to the editor. The response is made when the edit has ended.
    ///
    /// The edit is done even if the client leaves before that.
    private func carryOut(
        _ content: EditRequest.Content, conditions: [EditCondition], pending: PendingEdit, for waiter: Waiter,
        checking check: @escaping @Sendable (Snapshot) throws(EditRefusal) -> Void = { _ in }
    ) {
        configuration.editing?.editor.edit(
            EditRequest(
                content: content, author: pending.author,
                precondition: { [selection] snapshot throws(EditRefusal) in
                    if let asked = pending.revision,
                        let problem = AskedRevision.problem(asked, current: snapshot.revision)
                    {
                        throw EditRefusal(
                            .revision(asked: asked, current: snapshot.revision), detail: problem.detail)
                    }
                    try check(snapshot)
                    var known = KnownTags()
                    for condition in conditions { try condition.check(snapshot, selection: selection, known: &known) }
                },
                answer: { [edits, publications] outcome in
                    edits.end(waiter, bytes: pending.bodyBytes, in: publications) { pending.response(to: outcome) }
                }))
    }

    /// Refuses further edits, and waits until all edits in progress have ended and their clients are answered, but not
    /// beyond a deadline.
    public func finishEdits(until deadline: ContinuousClock.Instant) { edits.drain(until: deadline) }
}

extension Problem {
    /// 400 for a condition that the service would not check, so that no client relies on such a condition.
    fileprivate static let conditionOnSteps = Problem(
        .badRequest,
        detail: "If-Match and If-None-Match cannot refer to a single step; give the step the member 'ifMatch' instead.")
}

extension Problem {
    /// 409 for an edit of rows that are not in memory.
    fileprivate static let notEditableHere = Problem(
        .conflict, detail: "The records of a database are read-only here; change them in the database.")
}
