import Levels
import PropertyLists

/// The rows below one item in two trees, compared by what the answer about their level shows.
struct ShownRows {
    private let old, new: Listing
    /// The rows that differ, if all have the positions that they had, and the sections are the same; else nil, and all
    /// rows are compared. Most changes are so small.
    private let changed: [Int]?
    private let pairs: RowsDifference?
    /// For each row of the new listing, whether nothing in or below it differs and its position is the same.
    private let isSame: [Bool]
    /// For each row of the new listing, whether at least what its neighbours show of it does not differ.
    private let hasSameLink: [Bool]
    private let hasSameSections: Bool

    /// A row whose answers may differ, by its positions.
    struct Candidate {
        let old: Int?
        let new: Int?
        let isInOtherSection: Bool
    }

    init(old: Listing, new: Listing) {
        self.old = old
        self.new = new
        hasSameSections = Self.hasSameSections(old, new)
        changed = hasSameSections ? Self.changedRows(old, new) : nil
        guard changed == nil else {
            (pairs, isSame, hasSameLink) = (nil, [], [])
            return
        }
        let pairs = RowsDifference(from: old, to: new)
        self.pairs = pairs
        var isSame = [Bool](repeating: false, count: new.count)
        var hasSameLink = isSame
        for pair in pairs.kept where pair.old == pair.new {
            guard let row = new.step(at: pair.new), let other = old.step(at: pair.old) else { continue }
            isSame[pair.new] = row.level.hasRow(row.row, sameAs: other.row, in: other.level)
            hasSameLink[pair.new] = isSame[pair.new] || row.hasSameLink(as: other)
        }
        self.isSame = isSame
        self.hasSameLink = hasSameLink
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

    /// The rows whose details, or anything below them, may differ: in the new order, then the removed ones.
    ///
    /// - Parameter all: whether all of them do.
    func candidates(all: Bool) -> [Candidate] {
        guard let pairs else {
            let rows = all ? Array(0..<new.count) : changedRowsAndNeighbours
            return rows.map { Candidate(old: $0, new: $0, isInOtherSection: false) }
        }
        let isAll = all || old.count != new.count
        let places = hasSameSections ? nil : (Self.sectionNumbers(old), Self.sectionNumbers(new))
        var candidates: [Candidate] = []
        for pair in pairs.kept {
            let isElsewhere = places.map { $0.0[pair.old] != $0.1[pair.new] } ?? false
            guard isAll || isElsewhere || !isQuiet(pair.new) else { continue }
            candidates.append(Candidate(old: pair.old, new: pair.new, isInOtherSection: isElsewhere))
        }
        candidates += pairs.inserted.map { Candidate(old: nil, new: $0, isInOtherSection: false) }
        candidates.sort { ($0.new ?? .max) < ($1.new ?? .max) }
        return candidates + pairs.removed.map { Candidate(old: $0, new: nil, isInOtherSection: false) }
    }

    /// The rows that differ, and those beside rows of which they show another link.
    private var changedRowsAndNeighbours: [Int] {
        var rows: [Int] = []
        for row in changed ?? [] {
            guard let step = new.step(at: row), let other = old.step(at: row) else { continue }
            let around = step.hasSameLink(as: other) ? row...row : max(row - 1, 0)...min(row + 1, new.count - 1)
            for row in around where rows.last.map({ $0 < row }) ?? true { rows.append(row) }
        }
        return rows
    }

    /// Whether a row does not differ in anything, nor its neighbours in what it shows of them.
    private func isQuiet(_ row: Int) -> Bool {
        isSame[row] && (row == 0 || hasSameLink[row - 1])
            && (row + 1 == isSame.count || hasSameLink[row + 1])
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

    /// The number of each row's section.
    private static func sectionNumbers(_ listing: Listing) -> [Int] {
        var numbers = [Int](repeating: 0, count: listing.count)
        for (number, section) in listing.sections.enumerated() {
            for row in section.start..<section.start + section.count { numbers[row] = number }
        }
        return numbers
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
