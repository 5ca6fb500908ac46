import Bytes
import ContentCodings
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// An edit that is being carried out: makes the response to its client from how it ended.
struct PendingEdit: Sendable {
    /// What the answer shows.
    enum Subject: Sendable {
        /// The detail of the item, or nothing if it was deleted.
        case item
        /// A link to the item of each step.
        case steps
        /// That the whole document was replaced.
        case document
    }

    let subject: Subject
    /// Where the item of each edit is in the body (RFC 6901); empty if `at` and `section` are in the query.
    var pointers: [String] = []
    /// The target of the request, as it was sent.
    let target: String
    let negotiation: Negotiation
    /// The size of the request's body.
    let bodyBytes: Int
    private let selection: Selection

    init(_ subject: Subject, _ call: Call, _ selection: Selection) {
        self.subject = subject
        target = String(utf8: call.request.target)
        negotiation = call.negotiation
        bodyBytes = call.request.body.count
        self.selection = selection
    }

    /// The response to the client.
    func response(to outcome: EditOutcome) -> Response {
        do throws(Problem) {
            switch outcome {
            case .done(let publication, let items): return try done(publication, items)
            case .refused(let refusal): throw Problem(refusal, self)
            case .noSpace: throw .noSpace
            case .failed(let id, let isUnknown): throw .notSaved(id: id, isUnknown: isUnknown)
            case .busy: throw .tooManyEdits
            case .stopped: throw .stopping
            }
        } catch {
            return response(to: error)
        }
    }

    /// The response that reports a problem.
    func response(to problem: Problem) -> Response { selection.response(to: problem, at: target, negotiation) }

    private func done(_ publication: Publication, _ items: [EditedItem]) throws(Problem) -> Response {
        switch subject {
        case .item:
            switch items.first {
            case .present(let item, let isNew):
                do throws(Problem) {
                    return try detail(of: item, isNew: isNew, in: publication)
                } catch {
                    // The client cannot read the detail as it has asked for it, but the edit is done.
                    return try link(to: item, isNew: isNew, in: publication)
                }
            default: return Response(status: 204, headers: selection.header.empty(for: negotiation.origin))
            }
        case .steps:
            let links = items.map(\.link)
            return try selection.response(
                of: try StepsAnswer.rendered(publication.snapshot, links), .identity, negotiation)
        case .document:
            let root = Item(rootOf: publication.snapshot.document)
            let tag = selection.entityTag(.document, of: root, .plist)
            let answer = try StepsAnswer.rendered(publication.snapshot, tag: tag)
            return try selection.response(of: answer, .identity, negotiation)
        }
    }

    /// The same representation as that of a GET that follows.
    private func detail(of item: Item, isNew: Bool, in publication: Publication) throws(Problem) -> Response {
        let link = Links(item).detailText
        let inquiry = try Inquiry(detailAt: link, negotiation)
        let shown = try Item(at: inquiry.path, in: publication.snapshot.document(in: inquiry.language))
        let selected = try selection.select(inquiry, shown, in: publication)
        let isSent = link.utf8.count <= Self.longestLink
        let response = try selected.response(adding: isSent ? [("Content-Location", link)] : [])
        guard isNew, let body = response.sharedBody else { return response }
        let location = isSent ? [(name: "Location", value: link)] : []
        return try selection.charged(Response(status: 201, headers: response.headers + location, body: body))
    }

    /// A link to the item, as in the answer to `/edits`.
    private func link(to item: Item, isNew: Bool, in publication: Publication) throws(Problem) -> Response {
        let link = Links(item).detailText
        let answer = try StepsAnswer.rendered(publication.snapshot, [link])
        let response = try selection.response(of: answer, .identity, negotiation)
        guard isNew, let body = response.sharedBody else { return response }
        let location = link.utf8.count <= Self.longestLink ? [(name: "Location", value: link)] : []
        return Response(status: 201, headers: response.headers + location, body: body)
    }

    /// The maximum length, in bytes, of a link in the header; the body has every link.
    ///
    /// Two of them fit into the memory of a connection beside any request's header. An answer that does not fit would be
    /// a fault, although the edit is done.
    private static let longestLink = 2_048
}

extension Links {
    fileprivate var detailText: String { String(utf8: detail) }
}

extension EditedItem {
    /// The link to the item's detail; nil if it is not there any more.
    fileprivate var link: String? {
        switch self {
        case .present(let item, _): Links(item).detailText
        case .deleted: nil
        }
    }
}
