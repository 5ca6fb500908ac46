internal import Bytes
internal import PropertyLists

/// Puts the levels of parts into a document, innermost levels first.
///
/// Visits only the levels with parts in or below them, and copies each of these levels once.
struct LevelGrafting: ~Copyable {
    private let parts: [PartReference: Composition.Part]
    private let names: StructuralNames
    private let limits: TreeLimits
    private let old: Composition?
    private(set) var grafts: LevelGrafts = [:]
    /// One level for each reason why a part could not be read.
    private(set) var refusals: [String: Level] = [:]

    init(
        parts: [PartReference: Composition.Part], names: StructuralNames, limits: TreeLimits,
        sharing old: Composition?
    ) {
        self.parts = parts
        self.names = names
        self.limits = limits
        self.old = old
    }

    mutating func document(from source: Level) throws(TreeError) -> Level {
        guard source.holdsParts else { return source }
        // Without recursion, because levels may be deep. A level in several places is listed once for each place, so
        // that it always follows the levels above it in the list.
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
        try limits.check(document)
        return document
    }

    private mutating func compose(_ level: Level, isDocument: Bool) throws(TreeError) {
        guard grafts[ObjectIdentifier(level)] == nil else { return }
        let graft = old?.grafts[ObjectIdentifier(level)]
        let scions = graft?.scions.map { scion(of: $0.reference, row: $0.row, in: level) } ?? scions(of: level)
        if let graft, graft.isMade(of: scions) {
            grafts[ObjectIdentifier(level)] = graft
            return
        }
        let shared = graft?.composed(of: scions)
        let composed =
            if let shared { shared } else { try level.grafted(scions, isDocument: isDocument, names: names) }
        grafts[ObjectIdentifier(level)] = LevelGraft(source: level, composed: composed, scions: scions)
    }

    private mutating func scions(of level: Level) -> [Scion] {
        var scions: [Scion] = []
        for row in 0..<level.rowCount {
            let reference = level.rowsHoldParts ? level.part(row) : nil
            if reference != nil || level.child(row)?.holdsParts == true {
                scions.append(scion(of: reference, row: row, in: level))
            }
        }
        return scions
    }

    /// Returns what replaces the level below a row that is a part, or that has parts below it.
    private mutating func scion(of reference: PartReference?, row: Int, in level: Level) -> Scion {
        Scion(row: row, reference: reference, graft: reference.map { graft(of: $0) } ?? below(row, of: level))
    }

    private func below(_ row: Int, of level: Level) -> Scion.Graft {
        guard let child = level.child(row) else { return .nothing }
        return .level(grafts[ObjectIdentifier(child)]?.composed ?? child)
    }

    private mutating func graft(of reference: PartReference) -> Scion.Graft {
        switch parts[reference] {
        case .composed(let part): return .root(Item.Step(level: part.document, row: 0))
        case .elsewhere(let rows): return .elsewhere(rows.level)
        case .refused(let sentence):
            let level = refusals[sentence] ?? old?.refusals[sentence] ?? .refused(sentence)
            refusals[sentence] = level
            return .refusal(level)
        case nil: return .nothing
        }
    }
}

extension Level {
    /// Returns the level with other levels below some rows; the scions are in the order of the rows.
    ///
    /// - Parameter isDocument: whether the only row is the root item.
    func grafted(_ scions: [Scion], isDocument: Bool, names: StructuralNames) throws(TreeError) -> Level {
        let replaced = replacing(scions: scions)
        guard scions.contains(where: \.isPart) else { return replaced }
        return try packed(scions, over: replaced.children, isDocument: isDocument, names: names)
    }

    /// Like `grafted`, for a level with rows that are parts. The fields and keys of these rows may change.
    private func packed(
        _ scions: [Scion], over children: [Level?], isDocument: Bool, names: StructuralNames
    ) throws(TreeError) -> Level {
        var gatherer = RowGatherer(names)
        guard gatherer.reserve(bytes.count) else { throw .outOfMemory }
        var rows: [PendingRow] = []
        rows.reserveCapacity(rowCount)
        var hasTextBeyondXML = rowsHoldTextBeyondXML
        var next = 0
        for number in 0..<rowCount {
            guard next < scions.count, scions[next].row == number else {
                rows.append(gatherer.gather(self, number: number))
                continue
            }
            if case .root(let root) = scions[next].graft {
                let own = Item.Step(level: self, row: number)
                rows.append(gatherer.gather(own, mounting: root, isDocument: isDocument))
                hasTextBeyondXML = hasTextBeyondXML || root.level.rowsHoldTextBeyondXML
            } else {
                let isDatabase = if case .database? = part(number)?.kind { true } else { false }
                var row =
                    isDatabase
                    ? gatherer.gather(self, number: number, hiding: DatabaseReference.hiddenNames)
                    : gatherer.gather(self, number: number)
                if scions[next].isPart { row.marks.remove(.isPart) }
                rows.append(row)
            }
            next += 1
        }
        let parts = LevelAssembler.Parts(
            children: children, sections: allSections, form: form, mayHoldTextBeyondXML: hasTextBeyondXML)
        var assembler = LevelAssembler(pool: nil)
        return try assembler.level(of: rows.span, from: gatherer.bytes.span, parts: parts)
    }
}
