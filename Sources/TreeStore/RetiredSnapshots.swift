/// Snapshots that are no longer published, kept until no reader holds them.
///
/// So a tree is always freed on the store's thread, and a reader never pays for it.
struct RetiredSnapshots {
    private var snapshots: [Snapshot] = []

    var isEmpty: Bool { snapshots.isEmpty }

    mutating func append(_ snapshot: consuming Snapshot) { snapshots.append(snapshot) }

    /// Lets go of those that nobody else holds; true if there were any.
    ///
    /// Nobody can take one anew, since none is published: once this holds the only reference, it stays the only one.
    mutating func release() -> Bool {
        let before = snapshots.count
        var index = 0
        while index < snapshots.count {
            if isKnownUniquelyReferenced(&snapshots[index]) {
                snapshots.remove(at: index)
            } else {
                index += 1
            }
        }
        return snapshots.count < before
    }
}
