import Levels
import PropertyLists

/// The rows below one item in two trees, compared by what the answer about their level shows.
struct ShownRows {
    private let old, new: Listing
    /// The rows that differ, if all have the positions that they had, and the sections are the same; else nil, and all
    /// rows are compared. Most changes are so small.
    private let changed: [Int]?
    private let pairs: RowsDifference?
    /// For each row of the new listing, whether nothing in or below it differs, wherever it was.
    private let isSame: [Bool]
    private let hasSameSections: Bool

    /// A row whose answers may differ, by its positions.
    struct Candidate {
        let old: Int?
        let new: Int?
    }

    init(old: Listing, new: Listing) {
        self.old = old
        self.new = new
        hasSameSections = Self.hasSameSections(old, new)
        changed = hasSameSections ? Self.changedRows(old, new) : nil
        guard changed == nil else {
            (pairs, isSame) = (nil, [])
            return
        }
        let pairs = RowsDifference(from: old, to: new)
        self.pairs = pairs
        var isSame = [Bool](repeating: false, count: new.count)
        for pair in pairs.kept {
            guard let row = new.step(at: pair.new), let other = old.step(at: pair.old) else { continue }
            isSame[pair.new] = row.level.hasRow(row.row, sameAs: other.row, in: other.level)
        }
        self.isSame = isSame
    }

    private static func changedRows(_ old: Listing, _ new: Listing) -> [Int]? {
        guard case .level = old.rows, case .level = new.rows, let level = old.level else { return nil }
        return new.level?.rowsDiffering(from: level)
    }

    /// Whether the answers, as JSON without a query, differ apart from the titles of the item and of those above it.
    var differ: Bool {
        // No level and an empty one show the same.
        guard old.count == new.count, old.level?.refusal == new.level?.refusal, hasSameSections else { return true }
        let before = RowDescription(old, .cell)
        let after = RowDescription(new, .cell)
        if let changed { return changed.contains { !after.showsRow($0, asShownBy: before) } }
        guard let pairs, pairs.kept.count == new.count, pairs.moved.isEmpty else { return true }
        return (0..<new.count).contains { row in !isSame[row] && !after.showsRow(row, asShownBy: before) }
    }

    /// The rows whose content, or anything below them, may differ: in the new order, then the removed ones. What only has
    /// another place or other neighbours is not among them.
    ///
    /// - Parameter all: whether all of them do.
    func candidates(all: Bool) -> [Candidate] {
        guard let pairs else {
            let rows = all ? Array(0..<new.count) : changed ?? []
            return rows.map { Candidate(old: $0, new: $0) }
        }
        var candidates = pairs.kept.filter { all || !isSame[$0.new] }.map { Candidate(old: $0.old, new: $0.new) }
        candidates += pairs.inserted.map { Candidate(old: nil, new: $0) }
        candidates.sort { ($0.new ?? .max) < ($1.new ?? .max) }
        return candidates + pairs.removed.map { Candidate(old: $0, new: nil) }
    }

    private static func hasSameSections(_ old: Listing, _ new: Listing) -> Bool {
        guard !old.sections.isEmpty || !new.sections.isEmpty else { return old.count == new.count }
        return sections(old) == sections(new)
    }

    /// The sections as they are shown: there is always one.
    private static func sections(_ listing: Listing) -> [Section] {
        let sections = listing.sections.map(\.shown)
        return sections.isEmpty ? [Section(rows: listing.count)] : sections
    }
}

extension RowDescription {
    /// Whether a row shows the same, as JSON, as the one at its position in a listing of the same item.
    fileprivate func showsRow(_ row: Int, asShownBy other: RowDescription) -> Bool {
        // A JSON writer accepts any text.
        do {
            return try shows(at: row, sameAs: other, at: row, Links(), as: JSONPropertyListWriter.self)
        } catch {
            return false
        }
    }
}
