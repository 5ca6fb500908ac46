/// The result of a batch of edits.
public struct EditResult: Hashable, Sendable {
    /// The revision that the edits made.
    public var revision: String
    /// The path of each edit's item after all edits; nil for an item that is not there then.
    public var paths: [ItemPath?]

    /// A result with these values.
    public init(revision: String, paths: [ItemPath?]) {
        self.revision = revision
        self.paths = paths
    }

    static func read(_ bytes: [UInt8]) throws(JSONError) -> EditResult {
        let fields = try JSONReader.fields(bytes)
        guard let revision = fields["revision"]?.text, let edits = fields["edits"]?.list else {
            throw JSONError("it has no 'revision' or no 'edits'", at: 0)
        }
        return EditResult(
            revision: revision, paths: edits.map { $0.dictionary?["href"]?.text.flatMap { ItemPath(href: $0) } })
    }
}

/// The result of a reload.
public struct ReloadResult: Hashable, Sendable {
    /// Whether the document had changed.
    public var isChanged: Bool
    /// The revision that is served.
    public var revision: String

    /// A result with these values.
    public init(isChanged: Bool, revision: String) {
        self.isChanged = isChanged
        self.revision = revision
    }

    static func read(_ bytes: [UInt8]) throws(JSONError) -> ReloadResult {
        let fields = try JSONReader.fields(bytes)
        guard let outcome = fields["outcome"]?.text, let revision = fields["revision"]?.text else {
            throw JSONError("it has no 'outcome' or no 'revision'", at: 0)
        }
        return ReloadResult(isChanged: outcome == "published", revision: revision)
    }
}
