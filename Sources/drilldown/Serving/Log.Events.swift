import HTTPServer
import Levels
import PropertyLists
import TreeSources
import TreeStore

/// The events, with their members in JSON. The members of a place (`warning`, `refused`, `start`) are `file` and, if
/// known, `line` and `column` (both from 1) or `offset` (bytes from 0), and `path` (of titles).
extension Log.Entry {
    /// The lines for an event in the store.
    ///
    /// - Parameter source: the document as the user named it.
    static func entries(for event: StoreEvent, of source: String) -> [Log.Entry] {
        switch event {
        case .loaded(let snapshot, let took): [loaded(snapshot, took)]
        case .advanced(let snapshot):
            [
                Log.Entry(
                    .info, "advanced",
                    "followed the source to revision \(snapshot.revision) by \(snapshot.cause): "
                        + "\(Quantity(snapshot.itemCount, "item"))",
                    [
                        .init("by", .text(snapshot.cause.description)), .init("items", .number(snapshot.itemCount)),
                        .init("revision", .text(snapshot.revision)),
                    ])
            ]
        case .unchanged(let snapshot, let took):
            [
                Log.Entry(
                    .info, "unchanged",
                    "reloaded the document in \(milliseconds(took)) ms: it is unchanged, revision \(snapshot.revision)",
                    [.init("milliseconds", .decimal(milliseconds(took))), .init("revision", .text(snapshot.revision))])
            ]
        case .recovered(let snapshot):
            [
                Log.Entry(
                    .info, "recovered", "the source matches the served document again, revision \(snapshot.revision)",
                    [.init("revision", .text(snapshot.revision))])
            ]
        case .refused(let error, _):
            [Log.Entry(.error, "refused", "\(error) The last good version is still served.", place(of: error))]
        case .edited(let snapshot, let author, let edits, let took): [edited(snapshot, by: author, edits, took)]
        // Each edit has its own line.
        case .saved: []
        case .notSaved(let id, let reason, let isUnknown):
            [
                Log.Entry(
                    .error, "not-saved",
                    isUnknown
                        ? "edits may have been saved, or not (\(id)): \(reason)"
                        : "edits were not saved (\(id)): \(reason); nothing has changed", [.init("id", .text(id))])
            ]
        case .records(let choice):
            [
                Log.Entry(
                    .info, "records", choice.sentence(.serve, source), [.init("records", .number(choice.records))])
            ]
        case .warnings(let warnings, let omitted): entries(for: warnings, omitted: omitted, of: source)
        }
    }

    private static func loaded(_ snapshot: Snapshot, _ took: Duration) -> Log.Entry {
        Log.Entry(
            .info, "loaded",
            "loaded \(Quantity(snapshot.itemCount, "item")) in \(milliseconds(took)) ms, revision \(snapshot.revision)",
            [
                .init("items", .number(snapshot.itemCount)), .init("milliseconds", .decimal(milliseconds(took))),
                .init("revision", .text(snapshot.revision)),
            ])
    }

    private static func edited(_ snapshot: Snapshot, by author: String?, _ edits: Int, _ took: Duration) -> Log.Entry {
        let what = edits == 0 ? "the whole document" : Quantity(edits, "edit").description
        return Log.Entry(
            .info, "edited",
            "saved \(what)\(author.map { " by \($0)" } ?? "") in \(milliseconds(took)) ms, revision \(snapshot.revision)",
            (author.map { [.init("author", .text($0))] } ?? []) + [
                .init("edits", .number(edits)), .init("milliseconds", .decimal(milliseconds(took))),
                .init("revision", .text(snapshot.revision)),
            ])
    }

    private static let mostWarnings = 10

    private static func entries(for warnings: [SourceWarning], omitted: Int, of source: String) -> [Log.Entry] {
        let entries = warnings.prefix(mostWarnings).map { warning in
            Log.Entry(
                .warning, "warning", "\(warning)",
                place(warning.name, warning.warning.position, warning.warning.path))
        }
        let more = warnings.count - entries.count + omitted
        guard more > 0 else { return entries }
        let text =
            "and \(Quantity(more, "more warning")); list them with: "
            + SuggestedCommand.shellText(of: ["check", source], "drilldown")
        return entries + [Log.Entry(.warning, "warnings", text, [.init("warnings", .number(more))])]
    }

    /// The line for an error that ends the process before it serves.
    init(start error: any Error, _ text: String) {
        self.init(.error, "start", text, (error as? SourceError).map(Self.place) ?? [])
    }

    private static func place(of error: SourceError) -> [Log.Member] { place(error.name, error.position, error.path) }

    private static func place(_ name: String, _ position: SourcePosition?, _ path: String?) -> [Log.Member] {
        let numbers: [Log.Member] =
            switch position {
            case .text(let line, let column): [.init("line", .number(line)), .init("column", .number(column))]
            case .byte(let offset): [.init("offset", .number(offset))]
            case nil: []
            }
        return [.init("file", .text(name))] + numbers + (path.map { [.init("path", .text($0))] } ?? [])
    }

    /// The line for a notice from a source.
    init(_ notice: SourceNotice) {
        switch notice {
        case .servesCopy: self.init(.info, "copy", "\(notice)")
        case .copyNotRead, .copyNotKept: self.init(.warning, "copy", "\(notice)")
        case .commitSettled: self.init(.info, "database", "\(notice)")
        case .awaited, .commitInDoubt, .olderCopy, .logKept: self.init(.warning, "database", "\(notice)")
        }
    }

    /// The line for one request, as `127.0.0.1 GET /levels/ 200 1015 bytes 85 µs` and its `id`.
    ///
    /// Its members are `address` (the client's), `method`, `target` (as it was sent), `status`, `bytes` (of the body:
    /// coded if it is, 0 for HEAD), `microseconds` (from the request line to the last byte of the answer) and
    /// `completed` (false if the client disconnected before that).
    init(_ access: AccessEntry) {
        let method = "\(access.method)".uppercased()
        let (seconds, attoseconds) = access.duration.components
        let microseconds = Int(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        let text =
            "\(access.peer) \(method) \(access.target) \(access.status) \(Quantity(access.size, "byte")) "
            + "\(microseconds) µs" + (access.completed ? "" : ", cut off") + " \(access.id)"
        self.init(
            .info, "request", text,
            [
                .init("address", .text(access.peer)), .init("method", .text(method)),
                .init("target", .text(access.target)), .init("status", .number(access.status)),
                .init("bytes", .number(access.size)), .init("microseconds", .number(microseconds)),
                .init("completed", .flag(access.completed)), .init("id", .text(access.id)),
            ])
    }

    /// The line for an answer of status 500; its `id` is also in the problem that the client got.
    init(_ answer: FailedAnswer) {
        self.init(
            .error, "failed", "\(answer)",
            [
                .init("id", .text(answer.id)), .init("method", .text(answer.method.name)),
                .init("target", .text(answer.target)),
            ])
    }

    /// The line for an answer that cannot be sent; its `id` is also in the problem that the client got.
    init(_ answer: UnsentAnswer) {
        self.init(
            .error, "unsent", "\(answer)",
            [
                .init("id", .text(answer.id)), .init("method", .text("\(answer.method)".uppercased())),
                .init("target", .text(answer.target)), .init("status", .number(answer.status)),
            ])
    }

    /// With one decimal.
    private static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds * 10_000 + attoseconds / 100_000_000_000_000) / 10
    }
}
