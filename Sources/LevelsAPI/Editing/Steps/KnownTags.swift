import Levels

/// The entity tags that met the conditions of a request in one state.
///
/// The tag of a level costs as much as an answer with all of its rows, and a thousand steps may have a condition on the
/// same level, so each tag is made once.
struct KnownTags {
    private struct Key: Hashable {
        let subject: Inquiry.Subject
        let path: ItemPath
    }

    private var tags: [Key: [String]] = [:]

    /// Whether any of an item's tags is wanted: one that is known, or else one that is made now.
    mutating func contains(_ item: ItemTags, _ isWanted: (String) -> Bool) -> Bool {
        let key = Key(subject: item.subject, path: item.path)
        if tags[key]?.contains(where: isWanted) == true { return true }
        guard let tag = item.first(where: isWanted) else { return false }
        tags[key, default: []].append(tag)
        return true
    }
}
