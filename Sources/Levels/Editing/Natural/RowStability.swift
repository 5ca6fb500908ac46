internal import Bytes
internal import PropertyLists

extension NaturalEditor.Planned {
    /// Checks that no rows but those of the edit have come or gone. What is a row in a document that is read as it is
    /// depends on what else is in it.
    ///
    /// - Parameters:
    ///   - old: the document before the change.
    ///   - new: the document after it.
    /// - Throws: `EditRefusal` if a row has become a field, or a field a row, or other rows differ.
    package func checkRows(from old: Level, to new: Level) throws(EditRefusal) {
        guard let before = Item(at: owner, in: old) else { throw Self.unstable }
        var steps = [Item.Step(level: new, row: 0)]
        for (number, step) in before.steps.enumerated().dropFirst() {
            let last = steps[steps.count - 1]
            guard let level = last.below, Self.hasSameRows(level, as: step.level, besides: step.row) else {
                guard isLastDeletion(of: before, depth: number, in: last) else { throw Self.unstable }
                return
            }
            guard before.steps[number - 1].placesOfRows == last.placesOfRows else { throw Self.unstable }
            steps.append(Item.Step(level: level, row: step.row))
        }
        try checkOwner(before.own, steps[steps.count - 1])
    }

    private static let unstable = EditRefusal.invalid(
        "the edit would make a row of a field, or a field of a row; change the document's file for that")

    /// Whether the list or map of the edit has lost its last row, and so has become a field of the item above.
    private func isLastDeletion(of owner: Item, depth: Int, in above: Item.Step) -> Bool {
        guard case (nil, true) = (place, depth == owner.steps.count - 1), owner.level?.rowCount == 1 else {
            return false
        }
        let step = owner.steps[depth]
        guard step.level.form == .members else { return false }
        let names = owner.steps[depth - 1].memberNames
        var left = names
        left.remove(at: step.row)
        return above.memberNames == left
    }

    /// Whether two levels have the same rows, with the same levels below them, besides one row.
    private static func hasSameRows(_ level: Level, as other: Level, besides row: Int) -> Bool {
        guard level.form == other.form, level.rowCount == other.rowCount, row < level.rowCount else { return false }
        return (0..<level.rowCount).allSatisfy { $0 == row || isSame(level, $0, other, $0) }
    }

    private static func isSame(_ level: Level, _ row: Int, _ other: Level, _ otherRow: Int) -> Bool {
        level.child(row)?.hash == other.child(otherRow)?.hash
            && level.bytes[level.row(row).fields] == other.bytes[other.row(otherRow).fields]
    }

    /// Checks the item whose rows or entries have changed.
    private func checkOwner(_ old: Item.Step, _ new: Item.Step) throws(EditRefusal) {
        let (olds, news) = (old.placesOfRows, new.placesOfRows)
        switch change {
        case .value: return
        case .insert, .remove, .move:
            guard olds == news, hasSameElements(old.below, new.below) else { throw Self.unstable }
        case .entries(_, let oldEntries, let newEntries):
            let (known, found) = (Set(olds), Set(news))
            let kept = Set(newEntries.map(\.name))
            guard olds.allSatisfy({ !kept.contains($0.name) || found.contains($0) }) else { throw Self.unstable }
            for place in news where !known.contains(place) {
                let before = oldEntries.first { $0.name == place.name }
                guard before.map(Self.isEmpty) ?? isNew else { throw Self.unstable }
            }
            if isNew, news.count == olds.count { throw Self.unstable }
            // The rows that were there have the same content.
            guard old.below?.form == .members,
                let (level, other) = old.below.flatMap({ a in new.below.map { (a, $0) } })
            else { return }
            let others = Dictionary(new.memberNames.enumerated().map { ($1, $0) }) { $1 }
            for (row, name) in old.memberNames.enumerated() {
                guard let otherRow = others[name] else { continue }
                guard Self.isSame(level, row, other, otherRow) else { throw Self.unstable }
            }
        }
    }

    private static func isEmpty(_ entry: NaturalChange.Entry) -> Bool {
        switch entry.value {
        case .array(let elements)?: elements.isEmpty
        case .dictionary(let fields)?: fields.entries.isEmpty
        default: false
        }
    }

    private func hasSameElements(_ old: Level?, _ new: Level?) -> Bool {
        let (count, newCount) = (old?.rowCount ?? 0, new?.rowCount ?? 0)
        guard let old, let new else { return abs(count - newCount) == 1 }
        for row in 0..<count {
            guard
                case .element(let moved)? = NaturalPlace([.element(row)]).after(change.inPlace)?.steps.first
            else { continue }
            guard moved < newCount, Self.isSame(old, row, new, moved) else { return false }
        }
        return true
    }
}

extension NaturalChange {
    /// The same change of a list that is the document.
    fileprivate var inPlace: NaturalChange {
        switch self {
        case .insert(let value, _, let row): .insert(value, into: NaturalPlace(), at: row)
        case .remove(let row, _): .remove(row, from: NaturalPlace())
        case .move(let row, let to, _): .move(row, to: to, in: NaturalPlace())
        case .entries, .value: self
        }
    }
}

extension Item.Step {
    /// The names and forms of the entries that hold rows.
    fileprivate var placesOfRows: [PlaceOfRows] {
        let bytes = level.bytes
        return PackedField.all(in: level.row(row).fields, of: bytes.span).filter(\.isHole).map {
            PlaceOfRows(name: Array(copying: bytes.span.extracting($0.name)), form: $0.form(in: bytes.span))
        }
    }
}

/// An entry that holds rows.
private struct PlaceOfRows: Hashable {
    let name: [UInt8]
    let form: LevelForm?
}
