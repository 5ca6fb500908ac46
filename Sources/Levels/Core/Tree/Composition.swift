/// One document of several files: the tree of a file, and what its parts are.
///
/// It never changes. Two compositions share what they have in common: a new one copies only the levels on the way to
/// what changed.
public final class Composition: Sendable {
    /// What a part is.
    public enum Part: Sendable {
        /// A document, or what was made of another file.
        case composed(Composition)
        /// Nothing; the sentence, with its full stop, says why, and the row and its level carry it.
        case refused(String)
    }

    /// The document as its file has it: the rows that are parts have no level.
    public let source: Level
    /// The document with the levels of all parts in their places.
    public let document: Level
    /// What each reference in the file leads to.
    public let parts: [PartReference: Part]
    /// The composed levels, so that the next composition shares them.
    let grafts: LevelGrafts
    /// The levels of its parts that were refused, by their sentences, for the same purpose.
    let refusals: [String: Level]

    /// Composes a document.
    ///
    /// - Parameters:
    ///   - source: the document as its file has it.
    ///   - parts: what its references lead to; one that is missing here leaves its row without a level.
    ///   - editor: the names of structural keys and the limits, which hold for the whole.
    ///   - old: an earlier composition of the same file, to share what has not changed.
    /// - Throws: `TreeError` if two rows have the same `Key` once their documents are mounted, or the whole is too deep
    ///   or too large.
    public init(
        _ source: Level, parts: [PartReference: Part], editor: TreeEditor = TreeEditor(),
        sharing old: Composition? = nil
    ) throws(TreeError) {
        var grafting = LevelGrafting(parts, editor, sharing: old)
        self.source = source
        self.parts = parts
        document = try grafting.document(from: source)
        grafts = grafting.grafts
        refusals = grafting.refusals
    }

    /// Whether composing a file again would give the same.
    public func isMade(of source: Level, _ parts: [PartReference: Part]) -> Bool {
        guard self.source === source, parts.count == self.parts.count else { return false }
        return parts.allSatisfy { reference, part in
            switch (part, self.parts[reference]) {
            case (.composed(let new), .composed(let own)): new === own
            case (.refused(let new), .refused(let own)): new == own
            default: false
            }
        }
    }

    /// Whether everything in two compositions was read from equal files.
    public func hasSameSources(as other: Composition) -> Bool {
        if self === other { return true }
        guard source.hash == other.source.hash, parts.count == other.parts.count else { return false }
        return parts.allSatisfy { reference, part in
            switch (part, other.parts[reference]) {
            case (.composed(let own), .composed(let others)): own.hasSameSources(as: others)
            case (.refused(let own), .refused(let others)): own == others
            default: false
            }
        }
    }

    /// Finds an item of the composed document in its file.
    ///
    /// - Returns: the composition of the file that contains the item, and the item as that file has it.
    public func origin(of item: Item) -> (file: Composition, item: Item) {
        var file = self
        var steps = [Item.Step(level: source, row: 0)]
        for step in item.steps.dropFirst() {
            while let own = steps.last, let part = own.level.part(own.row), case .composed(let next) = file.parts[part]
            {
                file = next
                steps = [Item.Step(level: next.source, row: 0)]
            }
            guard let level = steps.last.flatMap({ $0.level.child($0.row) }) else { break }
            steps.append(Item.Step(level: level, row: step.row))
        }
        return (file, Item(steps))
    }
}

/// Composes a document of several files anew after the source of one was edited.
struct Recomposition {
    private let editor: TreeEditor
    private var known: [ObjectIdentifier: Composition] = [:]
    /// The compositions that another one replaces.
    private(set) var made: [(old: Composition, new: Composition)] = []

    init(_ editor: TreeEditor) { self.editor = editor }

    /// Composes the file that was edited.
    mutating func replace(_ old: Composition, with source: Level) throws(TreeError) {
        try note(Composition(source, parts: old.parts, editor: editor, sharing: old), for: old)
    }

    /// The composition of a file with what has changed below it; the same one if nothing has.
    mutating func composition(of root: Composition) throws(TreeError) -> Composition {
        // Without recursion: files may be mounted in each other without end to their depth.
        var waiting = [(composition: root, isOpen: false)]
        while let (next, isOpen) = waiting.popLast() {
            if known[ObjectIdentifier(next)] != nil { continue }
            if isOpen {
                try compose(next)
                continue
            }
            waiting.append((next, true))
            for case .composed(let part) in next.parts.values { waiting.append((part, false)) }
        }
        return known[ObjectIdentifier(root)] ?? root
    }

    private mutating func compose(_ old: Composition) throws(TreeError) {
        var parts = old.parts
        var isChanged = false
        for (reference, part) in old.parts {
            guard case .composed(let below) = part, let new = known[ObjectIdentifier(below)], new !== below else {
                continue
            }
            parts[reference] = .composed(new)
            isChanged = true
        }
        guard isChanged else {
            known[ObjectIdentifier(old)] = old
            return
        }
        try note(Composition(old.source, parts: parts, editor: editor, sharing: old), for: old)
    }

    private mutating func note(_ new: Composition, for old: Composition) {
        known[ObjectIdentifier(old)] = new
        made.append((old, new))
    }
}
