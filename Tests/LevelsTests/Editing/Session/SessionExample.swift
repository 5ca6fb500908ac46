import PropertyLists

@testable import Levels
@testable import TestDocuments

/// A session on documents written as JSON, and edits whose bodies are JSON.
struct SessionExample {
    var session: EditSession
    private let names: StructuralNames

    /// - Parameters:
    ///   - others: mounted documents by their paths.
    ///   - refused: sentences of the paths of documents that could not be read.
    init(
        _ document: String, _ others: [String: String] = [:], refused: [String: String] = [:],
        names: StructuralNames = .init(), limits: TreeLimits = .init(), syntax: PropertyListSyntax = .binary
    ) throws {
        self.names = names
        let composition = try Self.composition(document, others, refused, names, limits)
        session =
            others.isEmpty && refused.isEmpty
            ? EditSession(document: composition.source, names: names, limits: limits, syntax: syntax)
            : EditSession(composition: composition, names: names, limits: limits) { _ in syntax }
    }

    private static func composition(
        _ document: String, _ others: [String: String], _ refused: [String: String], _ names: StructuralNames,
        _ limits: TreeLimits
    ) throws -> Composition {
        let tree = try Document.tree(document, names: names, limits: limits)
        var parts: [PartReference: Composition.Part] = [:]
        for mention in tree.parts {
            let path = mention.reference.path
            if let sentence = refused[path] { parts[mention.reference] = .refused(sentence) }
            guard let other = others[path] else { continue }
            parts[mention.reference] = .composed(try composition(other, others, refused, names, limits))
        }
        return try Composition(source: tree.document, parts: parts, names: names, limits: limits)
    }

    /// Does edits as one batch.
    @discardableResult
    mutating func apply(_ edits: Edit..., isExact: Bool = false) throws(EditRefusal) -> [EditedItem] {
        try session.apply(EditBatch(edits, isExact: isExact))
    }

    /// The refusal of edits as a line: the kind, and the sentence; nil if they can be done.
    func refusal(of edits: [Edit], isExact: Bool = false) -> String? {
        var copy = session
        do {
            _ = try copy.apply(EditBatch(edits, isExact: isExact))
            return nil
        } catch {
            return "\(error.step.map { "\($0) " } ?? "")\(error.kind.text): \(error.detail)"
        }
    }

    /// Whether the document is that of a text.
    func isBuilt(of document: String) throws -> Bool {
        session.document.hash == (try Document.tree(document, names: names).document.hash)
    }
}

extension EditRefusal.Kind {
    /// The kind and its details, in a few words.
    var text: String {
        switch self {
        case .noSuchItem(let key, let nearest): "no '\(key)' below \(nearest.titlePath)"
        case .exists: "exists"
        case .preconditionFailed: "precondition failed"
        case .preconditionRequired: "precondition required"
        case .conflict: "conflict"
        case .badPlace(let parameter): "bad \(parameter)"
        case .invalid(let pointer): "invalid '\(pointer ?? "nil")'"
        case .notAllowed: "not allowed"
        case .constraint(let name): "forbidden by \(name ?? "nil")"
        case .outOfMemory: "out of memory"
        case .revision(let asked, _): "not at \(asked)"
        }
    }
}

extension Edit {
    static func insert(_ json: String, _ path: String, _ position: RowPosition = .last, section: Int? = nil) -> Edit {
        .insert(value(json), below: self.path(path), at: position, section: section)
    }
    static func put(_ json: String, _ path: String, onlyIfNew: Bool = false) -> Edit {
        .put(value(json), at: self.path(path), onlyIfNew: onlyIfNew)
    }
    static func patch(_ json: String, _ path: String) -> Edit { .patch(value(json), at: self.path(path)) }
    static func move(_ path: String, _ owner: String, _ position: RowPosition = .last, section: Int? = nil) -> Edit {
        .move(self.path(path), below: self.path(owner), at: position, section: section)
    }
    static func delete(_ path: String) -> Edit { .delete(self.path(path)) }

    static func value(_ json: String) -> PropertyListValue {
        do { return try PropertyListValue(json: Array(json.utf8)) } catch { preconditionFailure("\(error)") }
    }

    private static func path(_ text: String) -> ItemPath {
        do { return try ItemPath(Array(text.utf8).span) } catch { preconditionFailure("\(error)") }
    }
}
