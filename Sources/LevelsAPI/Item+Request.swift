import Levels
import PropertyLists
import TreeStore

extension ItemPath {
    /// The path that a target names.
    ///
    /// - Throws: `Problem` (400) for a segment that is not percent-encoded UTF-8.
    init(requested text: Span<UInt8>) throws(Problem) {
        do {
            self = try ItemPath(text)
        } catch {
            throw Problem(.badPath, "The path segment '\(quoted: error.segment)' is not percent-encoded UTF-8.")
        }
    }
}

extension Item {
    /// The item at a path.
    ///
    /// - Throws: `Problem` (404) where there is none.
    init(at path: ItemPath, in snapshot: Snapshot) throws(Problem) {
        switch Item.find(path, in: snapshot.document) {
        case .found(let item): self = item
        case .missing(let nearest, let number): throw .noSuchItem(path.key(number), below: nearest)
        }
    }
}
