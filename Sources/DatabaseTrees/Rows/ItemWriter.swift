internal import Bytes
internal import Levels
internal import PropertyLists

/// Writes the items of a tree as rows. Ids count from 0. Parents come before their children. The positions of
/// neighbours are far apart.
struct ItemWriter: ~Copyable {
    private let target: any TreeImport
    private var fields = FieldsWriter()

    init(_ target: any TreeImport) { self.target = target }

    /// A level whose rows are being written.
    private struct Open {
        let id: Int64
        let level: Level
        /// The rows of each section, in the order of the document.
        let rows: [Range<Int>]
        var section = 0
        var row = 0
        var position: Int64 = 0
    }

    mutating func write(_ document: Level) throws(DatabaseError) {
        var next: Int64 = 1
        let root = Item.Step(level: document, row: 0)
        try write(root, place: ItemPlace(id: 0, parent: nil, section: 0, position: 0))
        var open = [Open]()
        if let level = Self.open(root, id: 0) { open.append(level) }
        while var top = open.popLast() {
            while top.section < top.rows.count, top.row >= top.rows[top.section].upperBound {
                top.section += 1
                if top.section < top.rows.count { top.row = top.rows[top.section].lowerBound }
            }
            guard top.section < top.rows.count else { continue }
            let step = Item.Step(level: top.level, row: top.row)
            top.position += PositionPlan.distance
            top.row += 1
            try write(step, place: ItemPlace(id: next, parent: top.id, section: top.section, position: top.position))
            open.append(top)
            if let level = Self.open(step, id: next) { open.append(level) }
            next += 1
        }
    }

    private static func open(_ step: Item.Step, id: Int64) -> Open? {
        guard let level = step.below, !level.form.isDrilled else { return nil }
        let rows = level.rowsAsWritten
        return Open(id: id, level: level, rows: rows, row: rows.first?.lowerBound ?? 0)
    }

    private mutating func write(_ step: Item.Step, place: ItemPlace) throws(DatabaseError) {
        do throws(PropertyListError) { try fields.write(step) } catch {
            throw DatabaseError(kind: .other, reason: error.reason)
        }
        try target.add(place, fields: fields.json.output.span)
    }
}
