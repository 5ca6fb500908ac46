import HTTPServer
import TreeSources
import TreeStore

extension Log {
    /// A line for what happened in the store.
    func write(_ event: StoreEvent) {
        switch event {
        case .loaded(let snapshot, _, let took):
            write(
                .info, "loaded",
                "loaded \(snapshot.itemCount) items in \(milliseconds(took)) ms, revision \(snapshot.revision)",
                [
                    ("items", "\(snapshot.itemCount)"), ("milliseconds", milliseconds(took)),
                    ("revision", snapshot.revision),
                ])
        case .unchanged(let snapshot, let took):
            write(
                .info, "unchanged",
                "read the document again in \(milliseconds(took)) ms: it is as it was, revision \(snapshot.revision)",
                [("milliseconds", milliseconds(took)), ("revision", snapshot.revision)])
        case .recovered(let snapshot):
            write(
                .info, "recovered", "the source is again what is served, revision \(snapshot.revision)",
                [("revision", snapshot.revision)])
        case .refused(let error): write(.error, "refused", "\(error) The last good version goes on.")
        case .warnings(let warnings, let omitted):
            for warning in warnings.prefix(10) { write(.warning, "warning", "\(warning)") }
            let more = warnings.count - 10 + omitted
            if more > 0 { write(.warning, "warnings", "and \(more) more warnings; 'drilldown check' tells them.") }
        }
    }

    /// A line for what a source wants known.
    func write(_ notice: SourceNotice) {
        if case .servesCopy = notice {
            write(.info, "copy", "\(notice)")
        } else {
            write(.warning, "copy", "\(notice)")
        }
    }

    /// A line for one request.
    func write(_ entry: AccessEntry) {
        let details = [
            ("peer", entry.peer), ("method", "\(entry.method)".uppercased()), ("target", entry.target),
            ("status", "\(entry.status)"),
            ("milliseconds", milliseconds(entry.duration)), ("completed", "\(entry.completed)"),
        ]
        write(.info, "request", details.map(\.1).joined(separator: " "), details)
    }

    private func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
