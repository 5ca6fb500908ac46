import Foundation

/// A change to the document, as a value.
///
/// ```swift
/// let result = try await server.perform([
///     .insert(["Title": "New", "Price": 12], into: ["Music"], at: .before("Old")),
///     .patch(["Price": 15], at: ["Music", "Other"], ifMatch: detail.fieldsVersion),
///     .delete(["Music", "Old"]),
/// ])
/// ```
public struct Edit: Hashable, Sendable {
    /// The change itself.
    public enum Action: Hashable, Sendable {
        /// Adds a new item: the title of a new leaf, or a dictionary of fields, which may include `Children`.
        case insert(FieldValue, into: ItemPath, at: Position, section: Int?)
        /// Replaces all fields of the item, or creates the item if it does not exist. The item's children stay.
        case put(Fields, at: ItemPath)
        /// Merges these fields into the fields of the item; `.null` removes a field.
        case patch(Fields, at: ItemPath)
        /// Moves the item and everything below it.
        case move(ItemPath, into: ItemPath, at: Position, section: Int?)
        /// Removes the item and everything below it.
        case delete(ItemPath)
    }

    /// The change itself.
    public var action: Action
    /// The version or `fieldsVersion` that the item must have, or `Level.itemVersion` for an insertion; nil for any
    /// version.
    public var ifMatch: ItemVersion?
    /// The item to insert or put as a property list, which is sent in place of the value; nil to send JSON. A batch always
    /// sends JSON.
    var propertyList: Data?

    /// Creates an edit with a condition.
    public init(_ action: Action, ifMatch: ItemVersion? = nil) {
        self.action = action
        self.ifMatch = ifMatch
    }

    /// Adds a new item to a level, like ``Server/insert(_:into:at:section:ifMatch:)``.
    public static func insert(
        _ item: FieldValue, into level: ItemPath, at position: Position = .last, section: Int? = nil,
        ifMatch version: ItemVersion? = nil
    ) -> Edit {
        Edit(.insert(item, into: level, at: position, section: section), ifMatch: version)
    }

    /// Adds a new item whose values have exact types.
    public static func insert(
        propertyList item: PropertyList, into level: ItemPath, at position: Position = .last, section: Int? = nil,
        ifMatch version: ItemVersion? = nil
    ) -> Edit {
        var edit = Edit.insert(item.fieldValue, into: level, at: position, section: section, ifMatch: version)
        edit.propertyList = item.xml
        return edit
    }

    /// Replaces the fields of an item with values of exact types.
    public static func put(
        propertyList fields: PropertyList, at path: ItemPath, ifMatch version: ItemVersion? = nil
    ) -> Edit {
        var edit = Edit.put(fields.fieldValue.dictionary ?? [:], at: path, ifMatch: version)
        edit.propertyList = fields.xml
        return edit
    }

    /// Replaces the fields of an item, or creates the item.
    public static func put(_ fields: Fields, at path: ItemPath, ifMatch version: ItemVersion? = nil) -> Edit {
        Edit(.put(fields, at: path), ifMatch: version)
    }

    /// Merges changes into the fields of an item, and removes fields.
    public static func patch(
        _ changes: Fields, removing names: [String] = [], at path: ItemPath, ifMatch version: ItemVersion? = nil
    ) -> Edit {
        var changes = changes
        for name in names { changes[name] = .null }
        return Edit(.patch(changes, at: path), ifMatch: version)
    }

    /// Moves an item and everything below it, like ``Server/move(_:into:at:section:ifMatch:)``.
    public static func move(
        _ path: ItemPath, into level: ItemPath, at position: Position = .last, section: Int? = nil,
        ifMatch version: ItemVersion? = nil
    ) -> Edit {
        Edit(.move(path, into: level, at: position, section: section), ifMatch: version)
    }

    /// Removes an item and everything below it.
    public static func delete(_ path: ItemPath, ifMatch version: ItemVersion? = nil) -> Edit {
        Edit(.delete(path), ifMatch: version)
    }
}

extension Edit {
    /// The position of an inserted or moved item among the rows of a level.
    public enum Position: Hashable, Sendable {
        /// Before all rows of the section. If the edit does not name a section, this is the last section of the level.
        case first
        /// After all rows of the section. If the edit does not name a section, this is the last section of the level.
        case last
        /// At this index among the other rows of the section, from 0.
        case index(Int)
        /// Before the row with a key.
        case before(String)
        /// After the row with a key.
        case after(String)

        /// The value of `at` in a request.
        var value: FieldValue {
            switch self {
            case .first: .text("first")
            case .last: .text("last")
            case .index(let position): .integer(Int64(position))
            case .before(let key): .text("before:\(key)")
            case .after(let key): .text("after:\(key)")
            }
        }

        /// The same value as text, for a query.
        package var text: String {
            if case .index(let position) = self { return String(position) }
            guard case .text(let text) = value else { return "" }
            return text
        }
    }
}

extension Edit {
    /// The item that the edit changes; for an insertion, the item whose level gets the new item.
    var path: ItemPath {
        switch action {
        case .insert(_, let path, _, _), .put(_, let path), .patch(_, let path), .move(let path, _, _, _),
            .delete(let path):
            path
        }
    }

    /// The fields that a patch changes; empty for other edits.
    var changes: Fields {
        if case .patch(let changes, _) = action { changes } else { [:] }
    }

    /// Checks that the paths can be sent.
    ///
    /// - Throws: `Problem` of the kind `.badPath`.
    package func checkPaths() throws(Problem) {
        try path.check()
        if case .move(_, let level, _, _) = action { try level.check() }
    }
}

// Edits in the form that the service reads.
extension Edit {
    /// The edit as a step of a batch.
    var step: Fields {
        var step: Fields
        switch action {
        case .insert(let item, let level, let position, let section):
            step = ["insert": item, "to": .text(level.levelLink), "at": position.value]
            step["section"] = section.map { .integer(Int64($0)) }
        case .put(let fields, let path): step = ["put": .dictionary(fields), "of": .text(path.detailLink)]
        case .patch(let changes, let path): step = ["patch": .dictionary(changes), "of": .text(path.detailLink)]
        case .move(let path, let level, let position, let section):
            step = ["move": .text(path.detailLink), "to": .text(level.levelLink), "at": position.value]
            step["section"] = section.map { .integer(Int64($0)) }
        case .delete(let path): step = ["delete": .text(path.detailLink)]
        }
        step["ifMatch"] = ifMatch.map { .text($0.rawValue) }
        return step
    }

    var request: Request {
        var request: Request
        switch action {
        case .insert(let item, let level, let position, let section):
            var query = "?at=\(PercentEncoding.encode(position.text))"
            if let section { query += "&section=\(section)" }
            request = Request("POST", target: level.levelLink + query, json: item)
        case .put(let fields, let path): request = Request("PUT", target: path.detailLink, json: .dictionary(fields))
        case .patch(let changes, let path):
            request = Request("PATCH", target: path.detailLink, json: .dictionary(changes))
        case .move(let path, let level, let position, let section):
            var body: Fields = [
                "from": .text(path.detailLink), "to": .text(level.levelLink), "at": position.value,
            ]
            body["section"] = section.map { .integer(Int64($0)) }
            request = Request("POST", target: "/moves", json: .dictionary(body))
        case .delete(let path): request = Request("DELETE", target: path.detailLink, json: nil)
        }
        if let propertyList {
            request.header["Content-Type"] = "application/x-plist"
            request.body = propertyList
        }
        if let ifMatch { request.header["If-Match"] = "\"\(ifMatch.rawValue)\"" }
        return request
    }
}

extension Request {
    /// Creates the request of an edit.
    ///
    /// - Parameter json: the body; nil for a request without a body.
    init(_ method: String, target: String, json: FieldValue?) {
        self.init(target)
        self.method = method
        isEdit = true
        guard let json else { return }
        header["Content-Type"] = "application/json"
        body = Data(JSONText.bytes(of: json))
    }
}

/// The result of a batch of edits.
public struct EditResult: Hashable, Sendable {
    /// The revision that the edits made.
    public var revision: String
    /// For each edit, the path of its item after all edits; nil if the item does not exist any more.
    public var paths: [ItemPath?]

    /// Creates a result with these values.
    public init(revision: String, paths: [ItemPath?]) {
        self.revision = revision
        self.paths = paths
    }

    static func read(_ bytes: [UInt8]) throws(JSONError) -> EditResult {
        let fields = try JSONReader.fields(bytes)
        guard let revision = fields["revision"]?.text, let edits = fields["edits"]?.list else {
            throw JSONError(reason: "it has no 'revision' or no 'edits'", at: 0)
        }
        return EditResult(
            revision: revision, paths: edits.map { $0.dictionary?["href"]?.text.flatMap { ItemPath(href: $0) } })
    }
}

/// The result of a reload.
public struct ReloadResult: Hashable, Sendable {
    /// Whether the document had changed, so that a new revision is served.
    public var isChanged: Bool
    /// The revision that is served.
    public var revision: String

    /// Creates a result with these values.
    public init(isChanged: Bool, revision: String) {
        self.isChanged = isChanged
        self.revision = revision
    }

    static func read(_ bytes: [UInt8]) throws(JSONError) -> ReloadResult {
        let fields = try JSONReader.fields(bytes)
        guard let outcome = fields["outcome"]?.text, let revision = fields["revision"]?.text else {
            throw JSONError(reason: "it has no 'outcome' or no 'revision'", at: 0)
        }
        return ReloadResult(isChanged: outcome == "published", revision: revision)
    }
}
