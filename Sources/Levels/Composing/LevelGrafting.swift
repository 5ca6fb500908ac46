internal import Bytes
internal import PropertyLists

/// Puts the levels of parts into the levels of a document, each level once, from the innermost out.
///
/// Only levels with parts in or below them are looked at, and a level of many parts is copied once.
struct LevelGrafting: ~Copyable {
    private let parts: [PartReference: Composition.Part]
    private let editor: TreeEditor
    private let old: Composition?
    private(set) var grafts: LevelGrafts = [:]
    /// The levels that say why a part could not be read, one for each sentence.
    private(set) var refusals: [String: Level] = [:]

    /// - Parameter old: an earlier composition of the same file.
    init(_ parts: [PartReference: Composition.Part], _ editor: TreeEditor, sharing old: Composition?) {
        self.parts = parts
        self.editor = editor
        self.old = old
    }

    /// The document with all parts in their places.
    mutating func document(from source: Level) throws(TreeError) -> Level {
        guard source.holdsParts else { return source }
        // Without recursion, because levels may be deep. A level that is in several places is listed as often, so that
        // it always comes after the ones above it.
        var levels = [source]
        var next = 0
        while next < levels.count {
            for child in levels[next].children {
                if let child, child.holdsParts { levels.append(child) }
            }
            next += 1
        }
        for level in levels.reversed() { try compose(level, isDocument: level === source) }
        let document = grafts[ObjectIdentifier(source)]?.composed ?? source
        try check(document)
        return document
    }

    private func check(_ document: Level) throws(TreeError) {
        let limits = editor.limits
        guard Int(document.height) - 1 <= limits.depth else { throw .tooDeep(limit: limits.depth) }
        guard document.fullItemCount - 1 <= limits.items else { throw .tooManyItems(limit: limits.items) }
    }

    private mutating func compose(_ level: Level, isDocument: Bool) throws(TreeError) {
        guard grafts[ObjectIdentifier(level)] == nil else { return }
        let scions = scions(of: level)
        let made = scions.map(\.source)
        if let graft = old?.grafts[ObjectIdentifier(level)], graft.isMade(of: made) {
            grafts[ObjectIdentifier(level)] = graft
            return
        }
        let composed = try level.grafted(scions, isDocument: isDocument, editor.names)
        grafts[ObjectIdentifier(level)] = LevelGraft(source: level, composed: composed, scions: made)
    }

    private mutating func scions(of level: Level) -> [Scion] {
        var scions: [Scion] = []
        for row in 0..<level.rowCount {
            if level.rowsHoldParts, let reference = level.part(row) {
                scions.append(scion(of: reference, row: row))
            } else if let child = level.child(row), child.holdsParts {
                scions.append(Scion(row: row, graft: .level(grafts[ObjectIdentifier(child)]?.composed ?? child)))
            }
        }
        return scions
    }

    private mutating func scion(of reference: PartReference, row: Int) -> Scion {
        switch parts[reference] {
        case .composed(let part): return Scion(row: row, graft: .root(Item.Step(level: part.document, row: 0)))
        case .refused(let sentence):
            let level = refusals[sentence] ?? old?.refusals[sentence] ?? .refused(sentence)
            refusals[sentence] = level
            return Scion(row: row, graft: .refusal(level))
        case nil: return Scion(row: row, graft: .nothing)
        }
    }
}
