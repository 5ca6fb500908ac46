import HTTPServer
import Levels
import PropertyLists

/// `GET /changes?since=<revision>`: the entries of the publications after a revision (manual, Refresh).
struct ChangesAnswer {
    let since: String
    let changes: [Change]

    /// - Parameter since: nil for a client that begins with the current revision.
    /// - Throws: `Problem` (410) for a revision that the log does not know.
    init(since: String?, in log: ChangeLog) throws(Problem) {
        let revision = log.now.revision
        self.since = since ?? revision
        guard let changes = log.changes(since: self.since) else { throw Self.gone(self.since, revision: revision) }
        self.changes = changes
    }

    static func gone(_ since: String, revision: String) -> Problem {
        Problem(
            .revisionGone,
            "The revision '\(quoted: since)' is unknown: the server was restarted, or its history does not reach back that far."
                + " Reload what you show, and continue from '\(revision)'.",
            members: [("reset", .flag(true)), ("revision", .text(revision))])
    }

    /// - Parameters:
    ///   - headers: header lines in addition to those of every answer.
    ///   - isIndented: whether the body is indented for people.
    /// - Throws: `Problem` (500) if it could not be written.
    func rendered(adding headers: [(name: String, value: String)], isIndented: Bool) throws(Problem) -> Rendering {
        let compact = try Rendering(vary: "Accept", headers: headers) { (writer) throws(PropertyListError) in
            try writer.member("revision", changes.last?.revision ?? since)
            try writer.member("since", since)
            writer.member("reset", false)
            writer.member("changes")
            writer.beginList()
            for change in changes { change.write(to: &writer) }
            writer.endList()
        }
        return isIndented ? compact.indented() : compact
    }
}
