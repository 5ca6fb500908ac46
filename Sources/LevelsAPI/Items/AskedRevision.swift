import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// The revision that a client has seen: its answer is made from this revision or a later one (manual, Refresh).
enum AskedRevision {
    /// The name of the header field, in requests and answers.
    static let field = "Drilldown-Revision"
    /// The maximum wait for a revision, unless the request names another one.
    static let patience = Duration.seconds(5)

    /// The revision that a request asks for, if any.
    ///
    /// - Parameter parameter: the revision in the query, which has precedence over the header; nil if it is absent.
    /// - Throws: `Problem` (400) if the query names a revision of a document that is not in a database. For such a
    ///   document the header is ignored.
    static func read(
        _ parameter: String?, request: Request, in snapshot: Snapshot
    ) throws(Problem) -> String? {
        if snapshot.isNamedBySource { return parameter ?? request.field(.drilldownRevision) }
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
        let current = publication.snapshot.revision
        if asked == current { return true }
        guard let wanted = RevisionName(asked), let known = RevisionName(current), wanted.epoch == known.epoch else {
            throw Problem(
                .revisionGone,
                detail:
                    "The revision '\(quoted: asked)' is not part of the history of the document, in which '\(current)' is the newest revision."
                    + " Reload what you show, and continue from that revision.",
                members: [("reset", .flag(true)), ("revision", .text(current))])
        }
        return wanted.number < known.number
    }
}

extension Snapshot {
    /// The header line that names the revision; empty if only this process knows its name.
    var revisionHeaders: [(name: String, value: String)] {
        isNamedBySource ? [(AskedRevision.field, revision)] : []
    }
}

extension Inquiry {
    /// The header lines that say how the question was asked: the wait, and the revision if one was asked for.
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
