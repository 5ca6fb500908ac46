import Levels
import PropertyLists

/// `GET /`: what is served, and links to begin with (manual, Requests and answers).
enum IndexAnswer {
    /// The name and the target of each link.
    static let links: [(name: StaticString, target: String)] = [
        ("levels", "/levels/"), ("detail", "/detail/"), ("document", "/document"), ("changes", "/changes"),
        ("openapi", "/openapi.json"), ("health", "/healthz"), ("readiness", "/readyz"),
    ]

    /// The link to the description of the API (RFC 8631).
    private static let header = [("Link", "</openapi.json>; rel=\"service-desc\"")]

    /// - Parameters:
    ///   - snapshot: nil for a client that may not read; it gets the links alone.
    ///   - isEditable: whether a token could allow edits now.
    ///   - needsToken: whether reading needs a token, so that the answer depends on `Authorization`.
    /// - Throws: `Problem` (500) if it could not be written.
    static func rendered(_ snapshot: Snapshot?, isEditable: Bool, needsToken: Bool) throws(Problem) -> Rendering {
        let vary = needsToken ? "Accept-Encoding, Accept, Authorization" : "Accept-Encoding, Accept"
        return try Rendering(vary: vary, headers: header, isTagged: true) {
            (writer) throws(PropertyListError) in
            if let snapshot {
                let root = Item(rootOf: snapshot.document).own
                let bytes = root.level.bytes
                try writer.member("title", bytes.span.extracting(root.level.row(root.row).title))
                writer.member("items", snapshot.itemCount)
                try writer.member("revision", snapshot.revision)
                writer.member("editable", isEditable)
            }
            writer.member("links")
            writer.beginObject()
            for (name, target) in links { try writer.member(name, target) }
            writer.endObject()
        }
    }
}
