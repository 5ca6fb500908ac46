/// Finds the rows of one listing in another, by the keys that lead to them.
struct RowMatches {
    private let old: Listing
    private let new: Listing
    /// For each branch of the old listing, the branch of the new one with the same keys.
    private let branches: [Int?]
    /// Made when the first row with another position is found.
    private var positions: Positions?

    init(from old: Listing, to new: Listing) {
        self.old = old
        self.new = new
        branches = Self.branches(of: old, in: new)
    }

    /// The position in the new listing of the row at a position in the old one; nil if it is not shown.
    ///
    /// - Parameter guess: the position to try first, because most rows keep theirs.
    mutating func position(ofRowAt position: Int, near guess: Int) -> Int? {
        let place = old.place(at: position)
        guard let branch = branches[place.branch], let level = old.level(of: place) else { return nil }
        let guessed = guess < new.count ? new.place(at: guess) : nil
        let near = guessed.flatMap { $0.branch == branch ? $0.row : nil }
        let other = new.level(of: Place(branch: branch, row: 0))
        guard let row = level.row(sameAs: place.row, in: other, near: near ?? place.row) else { return nil }
        if row == near { return guess }
        let positions = positions ?? Positions(new)
        self.positions = positions
        return positions[Place(branch: branch, row: row)]
    }

    private static func branches(of old: Listing, in new: Listing) -> [Int?] {
        var numbers: [Place: Int] = [:]
        for (number, branch) in new.branches.enumerated() {
            if let above = branch.above { numbers[above] = number }
        }
        var found: [Int?] = [0]
        for branch in old.branches.dropFirst() {
            found.append(
                branch.above.flatMap { above in
                    guard let otherBranch = found[above.branch], let level = old.level(of: above) else { return nil }
                    let other = new.level(of: Place(branch: otherBranch, row: 0))
                    let row = level.row(sameAs: above.row, in: other, near: above.row)
                    return row.flatMap { numbers[Place(branch: otherBranch, row: $0)] }
                })
        }
        return found
    }
}
