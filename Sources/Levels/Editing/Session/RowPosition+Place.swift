internal import Bytes
internal import PropertyLists

extension RowPosition {
    /// Finds the place among the rows below an item.
    ///
    /// - Parameters:
    ///   - section: the number of a section as clients see it.
    ///   - moved: the row of this level that moves, which is not counted.
    /// - Throws: `EditRefusal` if there is none.
    func place(
        in target: EditTarget, section: Int?, without moved: Int?, _ names: StructuralNames
    ) throws(EditRefusal) -> RowPlace {
        try checkOrder(of: target)
        guard let level = target.item.level else {
            guard section ?? 0 == 0 else { throw Self.noSection(section ?? 0, of: 1) }
            return try place(in: SectionRange(number: 0, rows: 0..<0), target, moved)
        }
        let listed = level.form == .rows ? 1 : level.listedSections(owner: target.item.own, names)
        guard listed > 0 else {
            throw .conflict("\(target.shown.titlePath) has no section that could hold a row; add one to the document")
        }
        if let section, !(0..<listed).contains(section) { throw Self.noSection(section, of: listed) }
        if let key {
            let row = try row(withKey: key, in: target, without: moved)
            let range = SectionRange(holding: row, of: level)
            guard section ?? range.number == range.number else { throw Self.noRow(key, in: target) }
            let offset =
                row - range.rows.lowerBound - (moved.map { range.rows.contains($0) && $0 < row } == true ? 1 : 0)
            return RowPlace(section: range.number, offset: offset + (isAfter ? 1 : 0))
        }
        return try place(in: SectionRange(section ?? listed - 1, of: level), target, moved)
    }

    /// The rows of one section.
    private struct SectionRange {
        let number: Int
        let rows: Range<Int>

        init(number: Int, rows: Range<Int>) {
            self.number = number
            self.rows = rows
        }

        init(_ number: Int, of level: Level) {
            let rows =
                level.form == .rows
                ? 0..<level.rowCount
                : level.allSections[number].start..<level.allSections[number].start + level.allSections[number].count
            self.init(number: number, rows: rows)
        }

        init(holding row: Int, of level: Level) {
            let number = level.allSections.firstIndex { ($0.start..<$0.start + $0.count).contains(row) }
            self.init(number ?? 0, of: level)
        }
    }

    private func place(in range: SectionRange, _ target: EditTarget, _ moved: Int?) throws(EditRefusal) -> RowPlace {
        let count = range.rows.count - (moved.map { range.rows.contains($0) } == true ? 1 : 0)
        switch self {
        case .first: return RowPlace(section: range.number, offset: 0)
        case .offset(let offset):
            guard (0...count).contains(offset) else { throw Self.noPosition("\(offset)", of: count) }
            return RowPlace(section: range.number, offset: offset)
        case .last: return RowPlace(section: range.number, offset: count)
        case .before(let key), .after(let key): throw Self.noRow(key, in: target)
        case .unknown(let text): throw Self.noPosition("'\(quoted: text)'", of: count)
        }
    }

    // MARK: Rows beside it

    private var key: String? {
        switch self {
        case .before(let key), .after(let key): key
        case .first, .last, .offset, .unknown: nil
        }
    }

    private var isAfter: Bool { if case .after = self { true } else { false } }

    private func row(withKey key: String, in target: EditTarget, without moved: Int?) throws(EditRefusal) -> Int {
        let bytes = Array(key.utf8)
        let normal = ItemKey.isPlain(bytes.span) ? bytes : NormalizationFormC.text(of: bytes.span)
        guard let row = target.shown.level?.row(withKey: normal.span), row != moved else {
            throw Self.noRow(key, in: target)
        }
        return row
    }

    // MARK: Refusals

    private func checkOrder(of target: EditTarget) throws(EditRefusal) {
        if case .unknown = self { return }
        guard self != .last, target.shown.own.hasOrder else { return }
        throw .conflict(
            "the rows of \(target.shown.titlePath) are in the order of its 'SortBy' or 'GroupBy'; only 'last' can be "
                + "their place")
    }

    private static func noPosition(_ position: String, of count: Int) -> EditRefusal {
        EditRefusal(
            .badPlace(parameter: "at"),
            "'at' must be first, last, before:<key>, after:<key> or a number from 0 to \(count), not \(position).")
    }

    private static func noSection(_ section: Int, of count: Int) -> EditRefusal {
        EditRefusal(
            .badPlace(parameter: "section"),
            count == 1
                ? "'section' must be 0, not \(section); the level has one section."
                : "'section' must be from 0 to \(count - 1), not \(section).")
    }

    private static func noRow(_ key: String, in target: EditTarget) -> EditRefusal {
        .conflict(
            "no row of \(target.shown.titlePath) has the key '\(quoted: key)', so that nothing can be placed beside it")
    }
}
