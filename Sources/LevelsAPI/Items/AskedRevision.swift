import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// The revision that a client has seen. The client's answer is made from this revision or a later one (manual,
/// Refresh).
enum AskedRevision {
    /// The name of the header field, in requests and answers.
    static let field = "Drilldown-Revision"
    /// The maximum wait for a revision, unless the request names another wait.
    static let patience = Duration.seconds(5)

    /// The revision that a request asks for; nil if it does not ask for a revision.
    ///
    /// - Parameters:
    ///   - parameter: the revision in the query; nil if the query does not name one. The query has precedence over the
    ///     header.
    ///   - request: the request with the header; nil if its header does not count.
    /// - Throws: `Problem` (400) if the query names a revision, but the document is not in a database. The header is
    ///   ignored for a document that is not in a database.
    static func read(
        _ parameter: String?, request: Request?, in snapshot: Snapshot
    ) throws(Problem) -> String? {
        if snapshot.isNamedBySource { return parameter ?? request?.field(.drilldownRevision) }
        guard parameter == nil else {
            throw .badParameter(
                "revision", detail: "'revision' applies only to a document in a database; omit it.")
        }
        return nil
    }

    /// Whether a publication is the revision that was asked for, or a later one.
    ///
    /// - Throws: `Problem` (410) for the name of a revision that is not part of the same history.
    static func isHere(_ asked: String, in publication: Publication) throws(Problem) -> Bool {
        guard let problem = problem(asked, current: publication.snapshot.revision) else { return true }
        if problem.kind == .revisionGone { throw problem }
        return false
    }

    /// The problem of a request that asks for a revision; nil if the current revision is the one or a later one.
    static func problem(_ asked: String, current: String) -> Problem? {
        if asked == current { return nil }
        guard let wanted = RevisionName(asked), let known = RevisionName(current), wanted.epoch == known.epoch else {
            return Problem(
                .revisionGone,
                detail:
                    "The revision '\(quoted: asked)' is not part of the history of the document, in which '\(current)' is the newest revision."
                    + " Reload what you show, and continue from '\(current)'.",
                members: [("reset", .flag(true)), ("revision", .text(current))])
        }
        return wanted.number < known.number ? nil : .revisionNotHere(asked, current: current)
    }
}

extension Snapshot {
    /// The header line that names the revision; empty if only this process knows the name of the revision.
    var revisionHeaders: [(name: String, value: String)] {
        isNamedBySource ? [(AskedRevision.field, revision)] : []
    }
}

extension Inquiry {
    /// The header lines about the delivery: the wait that was applied, and the revision of the publication if the
    /// question names a revision.
    var addedHeaders: [(name: String, value: String)] {
        let delivery = question.delivery
        return (delivery.wait?.headers ?? []) + (delivery.revision == nil ? [] : publication.snapshot.revisionHeaders)
    }
}

extension Problem {
    /// 503 for a revision that has not been published in time.
    static func revisionNotHere(_ asked: String, current: String) -> Problem {
        Problem(
            .revisionNotHere,
            detail:
                "The revision '\(quoted: asked)' has not arrived here yet; the newest is '\(current)'. Try again later.",
            members: [("revision", .text(current))])
    }
}
