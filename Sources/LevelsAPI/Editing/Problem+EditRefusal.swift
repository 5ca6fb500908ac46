import Files
import Levels
import PropertyLists

extension Problem {
    /// The problem of an edit that cannot be done.
    init(_ refusal: EditRefusal, _ edit: PendingEdit) {
        // A refusal without a step concerns the whole batch.
        let step = refusal.step ?? (edit.subject == .steps ? nil : 0)
        let pointer = step.flatMap { edit.pointers.indices.contains($0) ? edit.pointers[$0] : nil } ?? ""
        self = Self.problem(refusal, at: pointer, isInBody: !edit.pointers.isEmpty)
        if edit.subject == .steps, let step { members.append(("edit", .number(step))) }
    }

    private static func problem(_ refusal: EditRefusal, at pointer: String, isInBody: Bool) -> Problem {
        let detail = refusal.detail
        switch refusal.kind {
        case .noSuchItem(let key, let nearest): return .noSuchItem(key, below: nearest)
        case .exists: return Problem(.preconditionFailed, detail)
        case .preconditionFailed(let current, let fields):
            let members: [(name: StaticString, value: String?)] = [("current", current), ("currentFields", fields)]
            return Problem(
                .preconditionFailed, detail,
                members: members.compactMap { name, value in value.map { (name, .text($0)) } })
        case .outOfMemory: return Problem(.outOfMemory, detail)
        case .conflict: return Problem(.conflict, detail)
        case .badPlace(let parameter):
            guard isInBody else { return .badParameter(parameter, detail) }
            return .invalidContent(detail, at: parent(of: pointer) + JSONPointer.step(parameter))
        case .invalid(let place): return .invalidContent(detail, at: pointer + (place ?? ""))
        case .notAllowed(let allowed, let place):
            var problem = Problem.invalidContent(detail, at: pointer + (place ?? ""))
            problem.members.append(("allowed", .values(allowed)))
            return problem
        }
    }

    /// The pointer to the step, of which the item is a member.
    private static func parent(of pointer: String) -> String {
        pointer.lastSlash.map { String(pointer[..<$0]) } ?? ""
    }

    static let noSpace = Problem(
        .insufficientStorage,
        "The disk that the document is on is full, so the edit was not saved; nothing has changed.")

    static func notSaved(id: String, isUnknown: Bool) -> Problem {
        let outcome =
            isUnknown
            ? "The disk failed while the edit was saved, and it is not known whether the document has the edit; look at it before you repeat the edit"
            : "The edit could not be saved, and nothing has changed"
        return Problem(
            .saveFailed, "\(outcome); the server's log has the reason under '\(id)'.", members: [("failure", .text(id))]
        )
    }

    static let tooManyEdits = Problem(
        .tooManyEdits, "The limit of edits in progress is reached, and nothing has changed. Try again later.")

    static let stopping = Problem(.stopping, "The server is stopping, and nothing has changed. Try again later.")

    static let unfinishedEdit = Problem(
        .unfinishedEdit,
        "The edit has not ended yet, and may still be done; look at the document before you repeat it.")
}
