/// The members that problems have beside those of every problem.
enum ProblemMember: String, CaseIterable {
    case allowed, parameter, nearest, current, currentFields, pointer, edit, line, column, offset, reset, revision, id,
        failure

    var schema: JSONNode {
        switch self {
        case .allowed: Schema.list("What would be right.", of: Schema.value("A name, or a value."))
        case .parameter: Schema.text("The query parameter.")
        case .nearest: Schema.text("The nearest existing level above the path.", pattern: "^/levels/")
        case .current: Schema.text("The current entity tag of what the condition is about.")
        case .currentFields: Schema.text("The current `fieldsVersion` of the item that the condition is about.")
        case .pointer: Schema.text("The place in the body (RFC 6901).")
        case .edit: Schema.number("The number of the step, from 0.")
        case .line: Schema.number("The line in the body, from 1.")
        case .column: Schema.number("The column in the body, from 1.")
        case .offset: Schema.number("The offset in a binary body.")
        case .reset: Schema.flag("Always true: reload what you show.")
        case .revision: Schema.text("The current revision.")
        case .id: Schema.text("What the server's log has the reason under.")
        case .failure: Schema.text("What the server's log has the failure of a save under.")
        }
    }
}
