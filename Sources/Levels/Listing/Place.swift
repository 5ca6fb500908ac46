/// A row of a listing: a level that the listing takes rows from, and the number of a row in it.
public struct Place: Hashable, Sendable {
    private let branchNumber: UInt32
    private let rowNumber: UInt32

    /// Creates the place of a row.
    ///
    /// - Parameter branch: the number of the row's level among the listing's branches; 0 is the listing's own level.
    public init(branch: Int = 0, row: Int) {
        branchNumber = UInt32(branch)
        rowNumber = UInt32(row)
    }

    /// The number of the row's level among the listing's branches; 0 is the listing's own level.
    public var branch: Int { Int(branchNumber) }

    /// The number of the row in its level.
    public var row: Int { Int(rowNumber) }
}
