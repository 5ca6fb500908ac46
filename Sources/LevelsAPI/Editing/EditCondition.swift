import Bytes
import HTTPFields
import HTTPServer
import Levels
import TreeStore

/// A condition of an edit, on the state before the edit (RFC 9110, section 13.1).
struct EditCondition: Sendable {
    private let subject: Question.Subject
    private let path: ItemPath
    private var ifMatch: [String]?
    private var ifNoneMatch: [String]?
    /// The number of the step; nil outside of `POST /edits`.
    private var step: Int?

    /// Reads the conditions of a request; nil if the request does not contain conditions.
    init?(request: Request, on subject: Question.Subject, at path: ItemPath) {
        guard request.hasAny(of: [.ifMatch, .ifNoneMatch]) else { return nil }
        self.subject = subject
        self.path = path
        ifMatch = request.has(.ifMatch) ? request.lines(of: .ifMatch) : nil
        ifNoneMatch = request.has(.ifNoneMatch) ? request.lines(of: .ifNoneMatch) : nil
    }

    /// Makes the condition of a step. The text is an entity tag, a version, a `fieldsVersion`, a list of entity tags,
    /// or `*`.
    init(text: String, on subject: Question.Subject, at path: ItemPath, step: Int) {
        self.subject = subject
        self.path = path
        self.step = step
        ifMatch = [text == "*" || text.contains("\"") ? text : "\"\(text)\""]
    }

    /// Whether the condition names an item by a tag, and not only by its path.
    var namesTag: Bool { ifMatch?.contains { $0.contains("\"") } == true }

    /// - Parameter known: the tags that met earlier conditions in the same snapshot.
    /// - Throws: `EditRefusal` with the current entity tag, if the condition does not hold.
    func check(_ snapshot: Snapshot, selection: Selection, known: inout KnownTags) throws(EditRefusal) {
        let tags = ItemTags(subject: subject, path: path, snapshot: snapshot, selection: selection)
        if let ifMatch, !isMet(ifMatch, by: tags, known: &known) {
            let name = step == nil ? "If-Match" : "'ifMatch'"
            let detail =
                tags.current.map { "\(name) does not contain the current entity tag of the request's target, \($0)." }
                ?? "\(name) is a condition on an item that does not exist."
            throw refusal(detail + (EntityTag.missingQuotes(in: ifMatch) ?? ""), tags: tags)
        }
        if let ifNoneMatch, tags.firstTag(where: { EntityTag.isListed($0, in: ifNoneMatch, comparison: .weak) }) != nil
        {
            throw refusal(
                "If-None-Match contains the current entity tag of the request's target, or is '*'.", tags: tags)
        }
    }

    /// Compares the version of the item's fields first, because this version is known without rendering an answer.
    private func isMet(_ lines: [String], by tags: ItemTags, known: inout KnownTags) -> Bool {
        if let version = tags.fieldsVersion, EntityTag.isListed(fieldsVersion: version, in: lines) { return true }
        return known.contains(tags) { EntityTag.isListed($0, in: lines, comparison: .strong) }
    }

    private func refusal(_ detail: String, tags: ItemTags) -> EditRefusal {
        EditRefusal(.preconditionFailed(current: tags.current, fields: tags.fieldsVersion), detail: detail, step: step)
    }
}

/// The entity tags of an item's level, detail or document in one state: one for each format and language.
struct ItemTags {
    let subject: Question.Subject
    let path: ItemPath
    let snapshot: Snapshot
    let selection: Selection

    /// The tag of the answer to a plain GET; nil if the item does not exist.
    var current: String? {
        guard let item = Self.item(path, document: snapshot.document) else { return nil }
        return selection.entityTag(subject, of: item, format: subject == .document ? .plist : .json)
    }

    /// The version of the item's own fields; nil if the item does not exist, and for levels and documents.
    var fieldsVersion: String? {
        subject == .detail ? Self.item(path, document: snapshot.document).map(RowFields.version) : nil
    }

    /// The first wanted tag; nil if no tag is wanted. A tag is made only if the tags before it are not wanted.
    func firstTag(where isWanted: (String) -> Bool) -> String? {
        for item in items {
            for format in formats {
                if let tag = selection.entityTag(subject, of: item, format: format), isWanted(tag) { return tag }
            }
        }
        return nil
    }

    private var formats: [Format] {
        switch subject {
        case .level: [.json, .plist, .csv]
        case .detail: [.json, .plist]
        case .document: [.plist, .json, .binary]
        }
    }

    /// The item in the document as it is written. For a document, also the item in its own file; for a level or a
    /// detail, also the item in each language.
    private var items: [Item] {
        guard let item = Self.item(path, document: snapshot.document) else { return [] }
        if subject == .document {
            return [item] + (snapshot.composition.map { [$0.origin(of: item).item] } ?? [])
        }
        let variants = snapshot.translations?.variants ?? []
        return [item] + variants.compactMap { Self.item(path, document: $0.document) }
    }

    private static func item(_ path: ItemPath, document: Level) -> Item? {
        if case .found(let item) = Item.find(path, in: document) { item } else { nil }
    }
}

/// The entity tags that met the conditions of a request in one state.
///
/// The tag of a level costs as much as an answer with all of its rows, and a thousand steps may depend on the same
/// level, so each tag is made once.
struct KnownTags {
    private struct Key: Hashable {
        let subject: Question.Subject
        let path: ItemPath
    }

    private var tags: [Key: [String]] = [:]

    /// Whether an item has a wanted tag. Checks the known tags first, and makes tags only if no known tag is wanted.
    mutating func contains(_ item: ItemTags, _ isWanted: (String) -> Bool) -> Bool {
        let key = Key(subject: item.subject, path: item.path)
        if tags[key]?.contains(where: isWanted) == true { return true }
        guard let tag = item.firstTag(where: isWanted) else { return false }
        tags[key, default: []].append(tag)
        return true
    }
}
