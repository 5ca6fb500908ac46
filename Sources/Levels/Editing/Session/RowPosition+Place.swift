internal import Bytes
internal import PropertyLists

extension RowPosition {
    /// Finds a place among the rows below an item.
    ///
    /// - Parameters:
    ///   - section: the number of a section, as clients see it; nil if the edit does not name a section.
    ///   - moved: the number of the row that moves within this level, and is therefore not counted; nil if no row moves
    ///     within the level.
    /// - Throws: `EditRefusal` for an invalid place.
    func place(
        in target: EditTarget, of session: EditSession, section: Int?, without moved: Int? = nil
    ) throws(EditRefusal) -> RowPlace {
        try checkOrder(of: target)
        let level = session.level(below: target)
        let (counts, listed) = (level?.counts ?? [0], level?.listedSections ?? 1)
        guard listed > 0 else {
            throw .conflict("\(target.shown.titlePath) has no section that could hold a row; add one to the document")
        }
        if let section, !(0..<listed).contains(section) { throw Self.noSection(section, of: listed) }
        if let key {
            guard let row = session.row(withKey: Self.normalized(key), below: target) else {
                throw Self.noRow(key, in: target.shown)
            }
            var end = 0
            let holding = counts.firstIndex { count in
                end += count
                return row < end
            }
            guard row != moved, let holding, section ?? holding == holding else {
                throw Self.noRow(key, in: target.shown)
            }
            let isPastMoved = moved.map { $0 < row } ?? false
            return RowPlace(owner: target.path, section: holding, row: row + (isAfter ? 1 : 0) - (isPastMoved ? 1 : 0))
        }
        let chosen = section ?? listed - 1
        let start = counts[..<chosen].reduce(0, +)
        let isFromBefore = moved.map { $0 < start } ?? false
        let isFromHere = moved.map { (start..<start + counts[chosen]).contains($0) } ?? false
        let offset = try offset(among: counts[chosen] - (isFromHere ? 1 : 0), in: target.shown)
        return RowPlace(owner: target.path, section: chosen, row: start - (isFromBefore ? 1 : 0) + offset)
    }

    /// Returns the number of the section's rows that are before this position.
    func offset(among count: Int, in owner: Item) throws(EditRefusal) -> Int {
        switch self {
        case .first: return 0
        case .last: return count
        case .offset(let offset):
            guard (0...count).contains(offset) else { throw Self.noPosition("\(offset)", of: count) }
            return offset
        case .before(let key), .after(let key): throw Self.noRow(key, in: owner)
        case .unknown(let text): throw Self.noPosition("'\(quoted: text)'", of: count)
        }
    }

    // MARK: The neighbouring row

    var key: String? {
        switch self {
        case .before(let key), .after(let key): key
        case .first, .last, .offset, .unknown: nil
        }
    }

    var isAfter: Bool { if case .after = self { true } else { false } }

    static func normalized(_ key: String) -> [UInt8] { ItemKey.normalized(key.utf8Span.span) }

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
            detail:
                "'at' must be first, last, before:<key>, after:<key> or a number from 0 to \(count), not \(position).")
    }

    static func noSection(_ section: Int, of count: Int) -> EditRefusal {
        EditRefusal(
            .badPlace(parameter: "section"),
            detail: count == 1
                ? "'section' must be 0, not \(section); the level has one section."
                : "'section' must be from 0 to \(count - 1), not \(section).")
    }

    static func noRow(_ key: String, in owner: Item) -> EditRefusal {
        .conflict(
            "no row of \(owner.titlePath) has the key '\(quoted: key)', so nothing can be placed beside it")
    }
}
