import PropertyLists

@testable import Levels
@testable import TestDocuments

/// A document of which some items refer to other documents for their levels, and the same document in one piece.
struct SplitDocument {
    /// The document as its file would have it, and every level in place.
    private(set) var split, whole: Value
    /// The other documents by their paths.
    private(set) var others: [String: Value] = [:]
    private var generator: SeededGenerator

    private static let levels: Set = ["Children", "Rows", "Sections"]
    /// What describes a level belongs to it.
    private static let structure = levels.union(["SectionKeys", "SectionTitles"])

    init(_ document: Value, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        (split, whole) = (document, document)
        (split, whole) = taken(apart: document)
    }

    /// The composition of all of it.
    ///
    /// - Parameter old: an earlier document, and the other documents at that time.
    func composition(sharing old: Composition? = nil) throws -> Composition { try composition(of: split, sharing: old) }

    private func composition(of document: Value, sharing old: Composition?) throws -> Composition {
        let tree = try document.tree(pool: old.map { LevelPool($0.source) })
        var parts: [PartReference: Composition.Part] = [:]
        for mention in tree.parts {
            guard let other = others[mention.reference.path] else { continue }
            var earlier: Composition?
            if case .composed(let part) = old?.parts[mention.reference] { earlier = part }
            parts[mention.reference] = .composed(try composition(of: other, sharing: earlier))
        }
        if let old, old.isMade(of: tree.document, parts: parts) { return old }
        return try Composition(source: tree.document, parts: parts, sharing: old)
    }

    // MARK: Taking apart

    private mutating func taken(apart document: Value) -> (split: Value, whole: Value) {
        switch document {
        case .array(let rows): return pair(rows.map { item($0) }, Value.array)
        case .dictionary(let entries): return level(of: entries)
        default: return (document, document)
        }
    }

    private func pair(_ both: [(split: Value, whole: Value)], _ make: ([Value]) -> Value) -> (
        split: Value, whole: Value
    ) {
        (make(both.map(\.split)), make(both.map(\.whole)))
    }

    private mutating func item(_ value: Value) -> (split: Value, whole: Value) {
        switch value {
        case .array(let rows): return pair(rows.map { item($0) }, Value.array)
        case .dictionary(let entries):
            guard entries.contains(where: { Self.levels.contains($0.key) }), generator.one(in: 2) else {
                return level(of: entries)
            }
            return moved(entries)
        default: return (value, value)
        }
    }

    /// The same item with its own rows taken apart.
    private mutating func level(of entries: [Value.Entry]) -> (split: Value, whole: Value) {
        var split: [Value.Entry] = []
        var whole: [Value.Entry] = []
        for entry in entries {
            var both = (split: entry.value, whole: entry.value)
            switch (entry.key, entry.value) {
            case ("Children", .array(let rows)), ("Rows", .array(let rows)):
                both = pair(rows.map { item($0) }, Value.array)
            case ("Sections", .array(let sections)):
                both = pair(sections.map { section($0) }, Value.array)
            case ("Sections", .dictionary(let named)):
                let rows = named.map { item($0.value) }
                both.split = .dictionary(zip(named, rows).map { Value.Entry($0.key, $1.split) })
                both.whole = .dictionary(zip(named, rows).map { Value.Entry($0.key, $1.whole) })
            default: break
            }
            split.append(Value.Entry(entry.key, both.split))
            whole.append(Value.Entry(entry.key, both.whole))
        }
        return (.dictionary(split), .dictionary(whole))
    }

    private mutating func section(_ value: Value) -> (split: Value, whole: Value) {
        guard case .dictionary(let entries) = value else { return item(value) }
        return level(of: entries)
    }

    /// The item with its level, and some of its fields, in another document.
    private mutating func moved(_ entries: [Value.Entry]) -> (split: Value, whole: Value) {
        let path = "\(others.count).plist"
        others[path] = .array([])
        var own = entries.filter { !Self.structure.contains($0.key) && $0.key != "Source" }
        var root = entries.filter { Self.structure.contains($0.key) }
        for entry in own.indices.reversed() where generator.one(in: 3) {
            root.insert(own.remove(at: entry), at: generator.below(root.count + 1))
        }
        own.insert(Value.Entry("Source", .string(path)), at: generator.below(own.count + 1))
        let below = level(of: root)
        // Own fields win.
        if let field = own.first(where: { $0.key != "Source" }), case .dictionary(let fields) = below.split {
            others[path] = .dictionary(fields + [Value.Entry(field.key, .string("another"))])
        } else {
            others[path] = below.split
        }
        guard case .dictionary(let fields) = below.whole else { return (below.split, below.whole) }
        return (.dictionary(own), .dictionary(own + fields))
    }
}
