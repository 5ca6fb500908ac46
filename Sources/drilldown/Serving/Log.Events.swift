import HTTPServer
import Levels
import PropertyLists
import TreeSources
import TreeStore

/// The events, with their members in JSON.
///
/// Events about a position in a document (`warning`, `refused`, `start`) have the member `file`. The position is `line`
/// and `column`, counted from 1; in a binary document, it is `offset`, in bytes from 0. The member `path` is the path
/// of titles at the position. The position and the path are left out if they are unknown.
extension Log.Entry {
    /// Returns the lines for an event of the store.
    ///
    /// - Parameter source: the document as the user named it.
    static func entries(for event: StoreEvent, of source: String) -> [Log.Entry] {
        switch event {
        case .loaded(let snapshot, let took): [loaded(snapshot, took: took)]
        case .advanced(let snapshot):
            [
                Log.Entry(
                    severity: .info, event: "advanced",
                    text: "followed the source to revision \(snapshot.revision) by \(snapshot.cause): "
                        + "\(Quantity(count: snapshot.itemCount, noun: "item"))",
                    members: [
                        .init("by", .text(snapshot.cause.description)), .init("items", .number(snapshot.itemCount)),
                        .init("revision", .text(snapshot.revision)),
                    ])
            ]
        case .unchanged(let snapshot, let took):
            [
                Log.Entry(
                    severity: .info, event: "unchanged",
                    text:
                        "reloaded the document in \(milliseconds(took)) ms: it is unchanged, revision \(snapshot.revision)",
                    members: [
                        .init("milliseconds", .decimal(milliseconds(took))),
                        .init("revision", .text(snapshot.revision)),
                    ])
            ]
        case .recovered(let snapshot):
            [
                Log.Entry(
                    severity: .info, event: "recovered",
                    text: "the source matches the served document again, revision \(snapshot.revision)",
                    members: [.init("revision", .text(snapshot.revision))])
            ]
        case .refused(let error, _):
            [
                Log.Entry(
                    severity: .error, event: "refused", text: "\(error) The last good version is still served.",
                    members: place(of: error))
            ]
        case .edited(let snapshot, let author, let edits, let took):
            [edited(snapshot, by: author, edits: edits, took: took)]
        // Each edit already has a line, with the event `edited`.
        case .saved: []
        case .notSaved(let id, let reason, let isUnknown):
            [
                Log.Entry(
                    severity: .error, event: "not-saved",
                    text: isUnknown
                        ? "edits may have been saved, or not (\(id)): \(reason)"
                        : "edits were not saved (\(id)): \(reason); nothing has changed",
                    members: [.init("id", .text(id))])
            ]
        case .readOnly(let refusal):
            [Log.Entry(severity: .warning, event: "read-only", text: "there is an edit token, but \(refusal.reason)")]
        case .reading(let reading, let isChange):
            [
                Log.Entry(
                    severity: isChange ? .warning : .info, event: "reading", text: (isChange ? "now " : "") + reading)
            ]
        case .warnings(let warnings, let omitted): entries(for: warnings, omitted: omitted, of: source)
        }
    }

    private static func loaded(_ snapshot: Snapshot, took: Duration) -> Log.Entry {
        let served = snapshot.servedCount
        return Log.Entry(
            severity: .info, event: "loaded",
            text: "loaded \(served) in \(milliseconds(took)) ms, revision \(snapshot.revision)",
            members: [
                .init("items", .number(served.count)), .init("milliseconds", .decimal(milliseconds(took))),
                .init("revision", .text(snapshot.revision)),
            ])
    }

    private static func edited(_ snapshot: Snapshot, by author: String?, edits: Int, took: Duration) -> Log.Entry {
        let what = edits == 0 ? "the whole document" : Quantity(count: edits, noun: "edit").description
        return Log.Entry(
            severity: .info, event: "edited",
            text:
                "saved \(what)\(author.map { " by \($0)" } ?? "") in \(milliseconds(took)) ms, revision \(snapshot.revision)",
            members: (author.map { [.init("author", .text($0))] } ?? []) + [
                .init("edits", .number(edits)), .init("milliseconds", .decimal(milliseconds(took))),
                .init("revision", .text(snapshot.revision)),
            ])
    }

    private static let mostWarnings = 10

    private static func entries(for warnings: [SourceWarning], omitted: Int, of source: String) -> [Log.Entry] {
        let entries = warnings.prefix(mostWarnings).map { warning in
            Log.Entry(
                severity: .warning, event: "warning", text: "\(warning)",
                members: place(warning.name, position: warning.warning.position, path: warning.warning.path))
        }
        let more = warnings.count - entries.count + omitted
        guard more > 0 else { return entries }
        let text =
            "and \(Quantity(count: more, noun: "more warning")); list them with: "
            + SuggestedCommand.shellText(of: ["check", source], program: "drilldown")
        return entries + [
            Log.Entry(severity: .warning, event: "warnings", text: text, members: [.init("warnings", .number(more))])
        ]
    }

    /// Creates the line for an error that ends the process before the document is served.
    init(start error: any Error, text: String) {
        self.init(severity: .error, event: "start", text: text, members: (error as? SourceError).map(Self.place) ?? [])
    }

    private static func place(of error: SourceError) -> [Log.Member] {
        place(error.name, position: error.position, path: error.path)
    }

    private static func place(_ name: String, position: SourcePosition?, path: String?) -> [Log.Member] {
        let numbers: [Log.Member] =
            switch position {
            case .text(let line, let column): [.init("line", .number(line)), .init("column", .number(column))]
            case .byte(let offset): [.init("offset", .number(offset))]
            case nil: []
            }
        return [.init("file", .text(name))] + numbers + (path.map { [.init("path", .text($0))] } ?? [])
    }

    /// Creates the line for a notice from a source.
    init(_ notice: SourceNotice) {
        switch notice {
        case .servesCopy: self.init(severity: .info, event: "copy", text: "\(notice)")
        case .copyNotRead, .copyNotKept: self.init(severity: .warning, event: "copy", text: "\(notice)")
        case .commitSettled: self.init(severity: .info, event: "database", text: "\(notice)")
        case .awaited, .commitInDoubt, .olderCopy, .logKept:
            self.init(severity: .warning, event: "database", text: "\(notice)")
        }
    }

    /// Creates the line for one request: `127.0.0.1 GET /levels/ 200 1015 bytes 85 µs`, then the request's `id`.
    ///
    /// The members are `address` (the client's), `method`, `target` (as it was sent), `status`, `bytes` (of the body as
    /// sent, after content coding; 0 for HEAD), `microseconds` (from the request line to the last byte of the
    /// response), `completed` (false if the client disconnected before that byte) and `id`.
    init(_ access: AccessEntry) {
        let method = "\(access.method)".uppercased()
        let (seconds, attoseconds) = access.duration.components
        let microseconds = Int(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        let text =
            "\(access.peer) \(method) \(access.target) \(access.status) \(Quantity(count: access.size, noun: "byte")) "
            + "\(microseconds) µs" + (access.completed ? "" : ", cut off") + " \(access.id)"
        self.init(
            severity: .info, event: "request", text: text,
            members: [
                .init("address", .text(access.peer)), .init("method", .text(method)),
                .init("target", .text(access.target)), .init("status", .number(access.status)),
                .init("bytes", .number(access.size)), .init("microseconds", .number(microseconds)),
                .init("completed", .flag(access.completed)), .init("id", .text(access.id)),
            ])
    }

    /// Creates the line for a fault in an answer. The `id` is also in the problem that the client got.
    init(_ fault: RequestFault) {
        let members: [Log.Member] = [
            .init("id", .text(fault.id)), .init("method", .text(fault.method.name)),
            .init("target", .text(fault.target)),
        ]
        switch fault.kind {
        case .failed: self.init(severity: .error, event: "failed", text: "\(fault)", members: members)
        case .unsent(let status, _):
            self.init(
                severity: .error, event: "unsent", text: "\(fault)",
                members: members + [.init("status", .number(status))])
        }
    }

    /// Returns the number of milliseconds, cut to one decimal.
    private static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds * 10_000 + attoseconds / 100_000_000_000_000) / 10
    }
}

extension Snapshot {
    /// The number of items, or of the tables of a database.
    var servedCount: Quantity {
        do throws(RowRefusal) {
            if case .found(let root)? = try rows?.find(.root) { return Quantity(count: root.count, noun: "table") }
        } catch {
            // The tables cannot be read at the moment.
        }
        return Quantity(count: itemCount, noun: "item")
    }
}
