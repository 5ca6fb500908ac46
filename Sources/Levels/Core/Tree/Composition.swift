/// One document made of several files: the tree of one file, and the parts that the file refers to.
///
/// A composition is immutable. A new composition shares the levels of an older composition, except for the levels on
/// the way to a change.
public final class Composition: Sendable {
    public enum Part: Sendable {
        /// The tree of another file, with its own parts in place.
        case composed(Composition)
        /// Rows that are not in memory.
        case elsewhere(any RowsElsewhere)
        /// A part that cannot be read. The reason is a whole sentence, which the row of the part and the level below
        /// the row carry.
        case refused(String)
    }

    /// The document of the file alone, in which rows that are parts lack a level.
    public let source: Level
    /// The document with all parts in place.
    public let document: Level
    /// The part of each reference in the file.
    public let parts: [PartReference: Part]
    /// The composed levels, for the next composition to share.
    let grafts: LevelGrafts
    /// The levels of refused parts, by reason, for the next composition to share.
    let refusals: [String: Level]
    /// Whether the rows below some item are not in memory.
    let holdsRowsElsewhere: Bool

    init(
        source: Level, document: Level, parts: [PartReference: Part], grafts: LevelGrafts, refusals: [String: Level]
    ) {
        self.source = source
        self.document = document
        self.parts = parts
        self.grafts = grafts
        self.refusals = refusals
        holdsRowsElsewhere = parts.values.contains { part in
            switch part {
            case .composed(let composition): composition.holdsRowsElsewhere
            case .elsewhere: true
            case .refused: false
            }
        }
    }

    /// Whether this composition was made of this source and these parts.
    public func isMade(of source: Level, parts: [PartReference: Part]) -> Bool {
        guard self.source === source, parts.count == self.parts.count else { return false }
        return parts.allSatisfy { reference, part in
            switch (part, self.parts[reference]) {
            case (.composed(let new), .composed(let own)): new === own
            case (.elsewhere(let new), .elsewhere(let own)): new === own
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
            case (.elsewhere(let own), .elsewhere(let others)): own === others
            case (.refused(let own), .refused(let others)): own == others
            default: false
            }
        }
    }

    /// Finds the file of an item in the composed document. Returns the composition of that file, and the item in that
    /// file.
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

/// The composed levels of one document, by the identity of their source levels.
typealias LevelGrafts = [ObjectIdentifier: LevelGraft]

/// A replacement for the level below a row.
struct Scion {
    enum Graft {
        /// An already composed level that has parts below it; the row stays.
        case level(Level)
        /// The root of another document: its fields and its level.
        case root(Item.Step)
        /// A level without rows, with the reason why a part could not be read.
        case refusal(Level)
        /// A level without rows of its own, because its rows are not in memory.
        case elsewhere(Level)
        /// No level, for an omitted part.
        case nothing
    }

    let row: Int
    /// The part that the row refers to; nil for a row over a composed level.
    var reference: PartReference?
    let graft: Graft

    /// The level whose identity stands for the replacement; nil for an omitted part.
    var source: Level? {
        switch graft {
        case .level(let level), .refusal(let level), .elsewhere(let level): level
        case .root(let root): root.level
        case .nothing: nil
        }
    }

    var level: Level? {
        switch graft {
        case .level(let level), .refusal(let level), .elsewhere(let level): level
        case .root(let root): root.below
        case .nothing: nil
        }
    }

    /// Whether the row itself is a part.
    var isPart: Bool { reference != nil }

    /// Whether a row has the same fields over this replacement as over another one.
    func givesSameFields(as other: Scion) -> Bool {
        switch (graft, other.graft) {
        case (.root(let new), .root(let old)):
            let (below, oldBelow) = (new.below, old.below)
            return new.level === old.level
                || new.level.bytes[new.level.packed(0..<1)] == old.level.bytes[old.level.packed(0..<1)]
                    && below?.form == oldBelow?.form && (below?.refusal == nil) == (oldBelow?.refusal == nil)
        case (.level, .level), (.refusal, .refusal), (.elsewhere, .elsewhere), (.nothing, .nothing): return true
        default: return false
        }
    }
}

/// A level of a file, and the same level with the parts in and below it in place.
struct LevelGraft: Sendable {
    /// The level of the file, kept because its identity is the key of this graft in `LevelGrafts`.
    let source: Level
    let composed: Level
    /// The replacements in the order of the rows.
    let scions: [Scion]

    func isMade(of others: [Scion]) -> Bool {
        scions.count == others.count && zip(scions, others).allSatisfy { $0.source === $1.source }
    }

    /// The composed level with other replacements; nil if they may change the fields of a row.
    func composed(of others: [Scion]) -> Level? {
        guard scions.count == others.count, zip(others, scions).allSatisfy({ $0.givesSameFields(as: $1) }) else {
            return nil
        }
        return composed.replacing(scions: others)
    }
}

extension Level {
    /// Returns the level with other levels below some rows, which keep their fields.
    func replacing(scions: [Scion]) -> Level {
        var children = children.isEmpty ? Array(repeating: nil, count: rowCount) : children
        for scion in scions { children[scion.row] = scion.level }
        return replacing(children: children.allSatisfy { $0 == nil } ? [] : children)
    }
}
