/// The records of a table after they were divided by a field: one group for each value within each group before.
///
/// Groups are numbered in the order of the groups that they are in, then by first appearance, so that those within one
/// group are neighbours.
struct FacetGroups {
    /// The number of the first group within each group before, and then the number of all groups.
    var firsts: [Int] = []
    /// Where the records of each group begin in the order, and then the number of all records.
    var starts: [Int] = [0]
    /// The rows of the groups, and the bytes that they refer to.
    var rows: [PendingRow] = []
    var bytes: [UInt8] = []

    /// The number of groups.
    var count: Int { starts.count - 1 }

    /// The places of a group's records in the order.
    func records(of group: Int) -> Range<Int> { starts[group]..<starts[group + 1] }

    /// The groups here that are within a group before.
    func groups(within group: Int) -> Range<Int> { firsts[group]..<firsts[group + 1] }
}
