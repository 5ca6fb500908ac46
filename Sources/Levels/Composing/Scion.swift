internal import Bytes

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

    /// The number of the row.
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

    /// The level below the row.
    var level: Level? {
        switch graft {
        case .level(let level), .refusal(let level): level
        case .root(let root): root.level.child(root.row)
        case .nothing: nil
        }
    }

    /// Whether the row itself is a part.
    var isPart: Bool { if case .level = graft { false } else { true } }
}

extension Level {
    /// The same level with other levels below some rows.
    ///
    /// - Parameters:
    ///   - scions: in the order of the rows.
    ///   - isDocument: whether the only row is the root item.
    func grafted(_ scions: [Scion], isDocument: Bool, _ names: StructuralNames) throws(TreeError) -> Level {
        var children = children.isEmpty ? Array(repeating: nil, count: rowCount) : children
        for scion in scions { children[scion.row] = scion.level }
        if children.allSatisfy({ $0 == nil }) { children = [] }
        guard scions.contains(where: \.isPart) else {
            let hidden = Section.hiddenRows(in: allSections)
            return Level(
                bytes: bytes, children: children, sections: allSections, keyIndex: keyIndex, form: form,
                ownHash: ownHash,
                totals: LevelTotals(
                    rows: rowCount, hidden: hidden, children: children, rowsMayHoldOrders: mayHoldOrders),
                rowsHoldTextBeyondXML: rowsHoldTextBeyondXML, rowsHoldParts: rowsHoldParts)
        }
        return try packed(scions, over: children, isDocument: isDocument, names)
    }

    /// The same for rows that are parts, whose fields and keys may change.
    private func packed(
        _ scions: [Scion], over children: [Level?], isDocument: Bool, _ names: StructuralNames
    ) throws(TreeError) -> Level {
        var gatherer = RowGatherer(names)
        guard gatherer.reserve(bytes.count) else { throw .outOfMemory }
        var rows: [PendingRow] = []
        rows.reserveCapacity(rowCount)
        var hasTextBeyondXML = rowsHoldTextBeyondXML
        var next = 0
        for number in 0..<rowCount {
            guard next < scions.count, scions[next].row == number else {
                rows.append(gatherer.gather(self, number))
                continue
            }
            if case .root(let root) = scions[next].graft {
                let own = Item.Step(level: self, row: number)
                rows.append(gatherer.gather(own, mounting: root, isDocument: isDocument))
                hasTextBeyondXML = hasTextBeyondXML || root.level.rowsHoldTextBeyondXML
            } else {
                var row = gatherer.gather(self, number)
                row.marks.remove(.isPart)
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
