/// The position of each row in a listing: made once, in time linear in the rows, so that a look-up takes no search.
///
/// An unchanged level needs no table.
public struct Positions: Sendable {
    private let count: Int
    /// The position plus one by row, for one level after the other; 0 for a row that is not shown.
    private let table: [UInt32]?
    /// The index of each branch's first row in the table.
    private let starts: [Int]

    /// Notes the position of each row of a listing.
    public init(_ listing: Listing) {
        count = listing.count
        guard let level = listing.level, !listing.isLevel else {
            table = nil
            starts = []
            return
        }
        var starts = [0]
        var end = level.count
        for branch in listing.branches.dropFirst() {
            starts.append(end)
            end += branch.level.count
        }
        var table = [UInt32](repeating: 0, count: end)
        for position in 0..<count {
            let place = listing.place(at: position)
            table[starts[place.branch] + place.row] = UInt32(position + 1)
        }
        self.table = table
        self.starts = starts
    }

    /// The position of a row; nil if it is not shown.
    public subscript(place: Place) -> Int? {
        guard let table else { return place.row < count ? place.row : nil }
        let position = table[starts[place.branch] + place.row]
        return position == 0 ? nil : Int(position) - 1
    }
}

extension Listing {
    /// Whether the rows are those of the level, in its order.
    var isLevel: Bool {
        if case .level = rows { true } else { false }
    }
}
