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

    init(
        source: Level, document: Level, parts: [PartReference: Part], grafts: LevelGrafts, refusals: [String: Level]
    ) {
        self.source = source
        self.document = document
        self.parts = parts
        self.grafts = grafts
        self.refusals = refusals
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
            guard let level = steps.last?.below else { break }
            steps.append(Item.Step(level: level, row: step.row))
        }
        return (file, Item(steps))
    }
}

/// The levels with parts of one document, and what they became.
typealias LevelGrafts = [ObjectIdentifier: LevelGraft]

/// What a row's level is replaced with when a document is composed.
struct Scion {
    /// What is put in.
    enum Graft {
        /// A level with parts below it, which is composed; the row stays.
        case level(Level)
        /// The root of another document: its fields and its level.
        case root(Item.Step)
        /// A level of no rows that says why a part could not be read.
        case refusal(Level)
        /// No level, for a part that is left out.
        case nothing
    }

    let row: Int
    let graft: Graft

    /// The level that determines the result.
    var source: Level? {
        switch graft {
        case .level(let level), .refusal(let level): level
        case .root(let root): root.level
        case .nothing: nil
        }
    }

    var level: Level? {
        switch graft {
        case .level(let level), .refusal(let level): level
        case .root(let root): root.below
        case .nothing: nil
        }
    }

    /// Whether the row itself is a part.
    var isPart: Bool { if case .level = graft { false } else { true } }
}

/// A level as its file has it, and the same level with its parts, or those of the levels below, in their places.
struct LevelGraft: Sendable {
    /// Kept, so that its identity is that of no other level.
    let source: Level
    let composed: Level
    /// The documents and levels that were put in, in order; nil for a part that is left out.
    let scions: [Level?]

    /// Whether composing the level again would give the same.
    func isMade(of others: [Level?]) -> Bool {
        scions.count == others.count && zip(scions, others).allSatisfy { $0 === $1 }
    }
}
