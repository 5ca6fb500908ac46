extension ProblemKind {
    /// What a problem of an edit means and what to do about it.
    var explanationOfEditing: String {
        switch self {
        case .malformedContent:
            "The body is not in the format that Content-Type names. 'line' and 'column' (both from 1), or 'offset' in a binary property list, are the place."
        case .unauthorized:
            "The request needs the header field 'Authorization: Bearer TOKEN', with a token that the server's operator gives out: every edit does, and reading too if the operator wants it."
        case .wrongToken:
            "The token in Authorization is not one that allows edits here; it may have been taken back."
        case .editingOff:
            "This server has no edit token, so nobody can edit. Its operator can set --edit-token-file or DRILLDOWN_EDIT_TOKEN."
        case .foreignOrigin:
            "A web page may edit only if it comes from this server, or if --cors-origins lists its origin; '*' lets pages only read."
        case .conflict:
            "The edit is in conflict with the document as it is, or its place cannot be edited; 'detail' says why. Nothing has changed."
        case .lengthRequired: "The request needs a body, announced by Content-Length or Transfer-Encoding."
        case .unsupportedMediaType:
            "The body has a type, a charset or a coding that the server does not read; 'allowed' lists the types."
        case .invalidContent:
            "The body is well-formed but breaks a rule; 'pointer' (RFC 6901) leads to the place, 'edit' is the number of the step, and 'allowed' lists what would be right. Nothing has changed."
        case .documentRefused:
            "The source was read again and refused; 'detail' says where and why. The version before is still served."
        case .tooManyAttempts:
            "Many wrong tokens came from this address. Wait for the seconds in Retry-After; the right token is accepted at any time."
        case .saveFailed:
            "The edit could not be saved, so nothing has changed. 'failure' is its name in the server's log; report it to the server's operator."
        case .tooManyEdits:
            "The limit of edits in progress is reached, and nothing has changed. Repeat the edit after the seconds in Retry-After."
        case .tooManyBodies:
            "The server receives one large document at a time. Repeat the request after the seconds in Retry-After."
        case .unfinishedEdit:
            "The request was not done within five minutes, or the server stopped meanwhile; it may still be done. Look at the document before you repeat it."
        case .draining:
            "The server stops soon. It still answers, but new requests should go to another one; that is why only /readyz says so."
        case .stopping: "The server is stopping, and nothing has changed. Repeat the request when it serves again."
        case .insufficientStorage:
            "The disk is full, so the edit was not saved; nothing has changed. Make room, and repeat it."
        default: ""
        }
    }
}
