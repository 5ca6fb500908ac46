import Bytes
import DrilldownDates
import HTTPServer
import Levels
import PropertyLists
public import TreeStore

/// `GET /healthz` and `GET /readyz`. Their answers are never encoded, so that the `Accept-Encoding` of a probe cannot
/// make the probe fail.
enum StatusAnswer {
    static func health() throws(Problem) -> Rendering {
        try Rendering { (writer) throws(PropertyListError) in try writer.member("status", "alive") }
    }

    /// The source and its freshness. The status is `stale` if the latest reload was refused.
    ///
    /// - Parameter snapshot: nil for a client that may not read; the answer then contains only `status`.
    static func readiness(_ snapshot: Snapshot?, readiness: Readiness) throws(Problem) -> Rendering {
        try Rendering { (writer) throws(PropertyListError) in
            try writer.member("status", readiness.lastError == nil ? "ok" : "stale")
            guard let snapshot else { return }
            try writer.member("revision", snapshot.revision)
            try writer.member("source", readiness.source)
            if let reading = snapshot.reading { try writer.member("reading", reading) }
            try writer.member("loadedAt", JSONText.date(Double(snapshot.loadedAt) - CivilDate.unixEpochOffset))
            writer.member("items", snapshot.itemCount)
            if let error = readiness.lastError { try writer.member("lastError", error) }
            guard let database = readiness.database else { return }
            try writer.member("database", database.isConnected ? "connected" : "reconnecting")
            try writer.member("since", JSONText.date(database.since - CivilDate.unixEpochOffset))
        }
    }
}

/// The freshness of the tree, for `/readyz`.
public struct Readiness: Sendable {
    /// The error of the latest load, if that load was refused and an older tree is served; otherwise nil.
    public var lastError: String?
    /// A path or a URL.
    public var source: String
    /// The connection to the database that is served; nil for any other source.
    public var database: DatabaseConnection?

    /// Creates the state of a source. `lastError` is the reason if the latest load was refused; nil if that load
    /// succeeded.
    public init(source: String, lastError: String? = nil, database: DatabaseConnection? = nil) {
        self.source = source
        self.lastError = lastError
        self.database = database
    }
}

/// `GET /`: the document, and links to begin with (manual, Requests and answers).
enum IndexAnswer {
    private static let links: [(name: StaticString, target: String)] = [
        ("levels", "/levels/"), ("detail", "/detail/"), ("document", "/document"), ("changes", "/changes"),
        ("openapi", "/openapi.json"), ("health", "/healthz"), ("readiness", "/readyz"),
    ]

    /// - Parameters:
    ///   - snapshot: nil for a client that may not read; the answer then contains only the links.
    ///   - isEditable: whether a token could allow edits now.
    ///   - needsToken: whether reading needs a token, so that the answer depends on `Authorization`.
    ///   - basePath: the path with which all links begin.
    static func rendered(
        _ snapshot: Snapshot?, isEditable: Bool, needsToken: Bool, under basePath: String
    ) throws(Problem) -> Rendering {
        let vary = needsToken ? "Accept-Encoding, Accept, Authorization" : "Accept-Encoding, Accept"
        // The link to the description of the service (RFC 8631).
        let header: HeaderLines = [("Link", "<\(basePath)/openapi.json>; rel=\"service-desc\"")]
        return try Rendering(vary: vary, headers: header, isTagged: true) {
            (writer) throws(PropertyListError) in
            if let snapshot {
                let root = Item(rootOf: snapshot.document).own
                try root.withRow { (row) throws(PropertyListError) in try writer.member("title", row.title) }
                writer.member("items", snapshot.itemCount)
                try writer.member("revision", snapshot.revision)
                writer.member("editable", isEditable)
            }
            writer.beginObject("links")
            for (name, target) in links { try writer.member(name, basePath + target) }
            writer.endObject()
        }
    }
}

/// `GET /problems/<name>`: the explanation of a kind of problem. Without a name, the explanations of all kinds.
enum ProblemPage {
    static func rendered(for path: Span<UInt8>, under basePath: String) throws(Problem) -> Rendering {
        let name = name(in: path)
        if name.isEmpty {
            return try Rendering(vary: "Accept-Encoding") { (writer) throws(PropertyListError) in
                writer.beginList("problems")
                for kind in ProblemKind.all {
                    writer.beginObject()
                    try write(kind, under: basePath, to: &writer)
                    writer.endObject()
                }
                writer.endList()
            }
        }
        guard let kind = ProblemKind.named(name) else {
            let names = ProblemKind.all.map(\.name)
            throw Problem(
                .noSuchRoute, detail: "'\(quoted: name)' is not a kind of problem.",
                members: [("allowed", .list(names))])
        }
        return try Rendering(vary: "Accept-Encoding") { (writer) throws(PropertyListError) in
            try write(kind, under: basePath, to: &writer)
        }
    }

    /// The path without the slashes around it.
    private static func name(in path: Span<UInt8>) -> String {
        var start = 0
        var end = path.count
        while start < end, path[start] == UInt8(ascii: "/") { start += 1 }
        while end > start, path[end - 1] == UInt8(ascii: "/") { end -= 1 }
        return String(utf8: path.extracting(start..<end))
    }

    private static func write(
        _ kind: ProblemKind, under basePath: String, to writer: inout JSONPropertyListWriter
    ) throws(PropertyListError) {
        try writer.member("type", "\(basePath)/problems/\(kind.name)")
        try writer.member("title", kind.title)
        writer.member("status", kind.status)
        try writer.member("explanation", kind.explanation)
    }
}
