extension LevelsAPI {
    /// What editing needs.
    public struct Editing: Sendable {
        /// Carries out the edits.
        public let editor: any DocumentEditor
        /// The tokens that allow edits now; called for each edit. Without any, editing is off.
        public let tokens: @Sendable () -> AccessTokens
        /// The maximum size of the body of `PUT /document`, in bytes.
        public var maximumDocumentBytes = 2 << 30
        /// Receives the events of editing, on any thread.
        public var log: @Sendable (TokenEvent) -> Void = { _ in }

        /// How many edits may be in progress at once.
        var capacity = 1_024
        /// The bytes of the bodies of edits in progress, unless there is only one.
        var bodyBytes = 64 << 20

        /// - Parameters:
        ///   - editor: carries out the edits.
        ///   - tokens: the tokens that allow edits now; called for each edit.
        public init(_ editor: any DocumentEditor, tokens: @escaping @Sendable () -> AccessTokens) {
            self.editor = editor
            self.tokens = tokens
        }
    }
}
