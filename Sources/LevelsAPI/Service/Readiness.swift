/// How fresh the tree is, for `/readyz`.
public struct Readiness: Sendable {
    /// The sentence about the latest load if it was refused, so that an older tree is served; nil otherwise.
    public var lastError: String?
    /// What is served: a path or a URL.
    public var source: String

    /// Creates the state of a source whose latest load succeeded, or was refused with a sentence.
    public init(source: String, lastError: String? = nil) {
        self.source = source
        self.lastError = lastError
    }
}
