import Bytes
import HTTPFields
import HTTPServer
import Levels

/// A condition of an edit on what it names, in the state before the edit (RFC 9110, section 13.1).
struct EditCondition: Sendable {
    private let subject: Inquiry.Subject
    private let path: ItemPath
    /// The lines of `If-Match`; nil without one.
    private var ifMatch: [String]?
    /// The lines of `If-None-Match`; nil without one.
    private var ifNoneMatch: [String]?
    /// The number of the step in a batch; nil if it is not one.
    private var step: Int?

    /// The conditions in the header of a request; nil if there is none.
    init?(_ request: Request, on subject: Inquiry.Subject, at path: ItemPath) {
        guard request.hasAny(of: [.ifMatch, .ifNoneMatch]) else { return nil }
        self.subject = subject
        self.path = path
        ifMatch = request.has(.ifMatch) ? request.lines(of: .ifMatch) : nil
        ifNoneMatch = request.has(.ifNoneMatch) ? request.lines(of: .ifNoneMatch) : nil
    }

    /// The condition of a step: an entity tag, a version or a `fieldsVersion`, several tags, or `*`.
    init(_ text: String, on subject: Inquiry.Subject, at path: ItemPath, step: Int) {
        self.subject = subject
        self.path = path
        self.step = step
        ifMatch = [text == "*" || text.contains("\"") ? text : "\"\(text)\""]
    }

    /// Refuses the edit if the condition does not hold.
    ///
    /// - Parameter known: the tags that met the conditions checked before, in the same snapshot.
    /// - Throws: `EditRefusal` with the current entity tag.
    func check(_ snapshot: Snapshot, _ selection: Selection, _ known: inout KnownTags) throws(EditRefusal) {
        let tags = ItemTags(subject, at: path, in: snapshot, selection)
        if let ifMatch, !isMet(ifMatch, by: tags, &known) {
            let name = step == nil ? "If-Match" : "'ifMatch'"
            let detail =
                tags.current.map { "\(name) does not contain the current entity tag of what it is about, \($0)." }
                ?? "\(name) is about something that does not exist."
            throw refusal(detail + (EntityTag.missingQuotes(in: ifMatch) ?? ""), tags)
        }
        if let ifNoneMatch, tags.first(where: { EntityTag.isListed($0, in: ifNoneMatch, .weak) }) != nil {
            throw refusal(
                "If-None-Match contains the current entity tag of what the request is about, or is '*'.", tags)
        }
    }

    /// Whether the lines contain a tag of an item. The version of its fields is looked for first: it needs no answer.
    private func isMet(_ lines: [String], by tags: ItemTags, _ known: inout KnownTags) -> Bool {
        if let version = tags.fieldsVersion, EntityTag.isListed(fieldsVersion: version, in: lines) { return true }
        return known.contains(tags) { EntityTag.isListed($0, in: lines, .strong) }
    }

    private func refusal(_ detail: String, _ tags: ItemTags) -> EditRefusal {
        EditRefusal(.preconditionFailed(current: tags.current, fields: tags.fieldsVersion), detail, step: step)
    }
}
