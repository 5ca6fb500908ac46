extension ProblemKind {
    /// The kinds that the server can give.
    static let given = allCases.filter { !neverGiven.contains($0) }

    /// The kinds that have a page but that nothing gives: a slow request is cut off, and a version other than 1.x is a bad
    /// request.
    static let neverGiven: Set<ProblemKind> = [.requestTimeout, .versionNotSupported]

    /// The kinds that no described operation gives: they are about methods that are not described.
    static let ofUndescribedMethods: Set<ProblemKind> = [.methodNotAllowed]

    /// What any request can be answered with.
    static let ofAnyRequest: [ProblemKind] = [
        .badRequest, .contentTooLarge, .headerTooLarge, .internalFault, .notImplemented, .notReady, .misdirectedRequest,
        .outOfMemory,
    ]

    /// What a request with a query can be answered with, even if the operation has no query options.
    static let ofQueries: [ProblemKind] = [.badParameter]

    /// What a request that only reads can be answered with if reading needs a token.
    static let ofReadsWithToken: [ProblemKind] = [.unauthorized, .wrongToken, .tooManyAttempts]

    /// What any edit can be answered with.
    static let ofEdits: [ProblemKind] = [
        .unauthorized, .wrongToken, .editingOff, .foreignOrigin, .tooManyAttempts, .tooManyEdits, .unfinishedEdit,
        .stopping,
    ]

    /// What an edit that is saved can be answered with.
    static let ofSaves: [ProblemKind] = [
        .conflict, .invalidContent, .preconditionFailed, .saveFailed, .insufficientStorage,
    ]

    /// What an edit with a body can be answered with.
    static let ofBodies: [ProblemKind] = [.lengthRequired, .unsupportedMediaType, .malformedContent]
}
