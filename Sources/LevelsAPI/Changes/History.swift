import Levels
import TreeStore

/// Finds earlier states of an item among the snapshots that are kept, for `?since=`.
final class History: Sendable {
    private let publications: Publications
    private let versions: GivenVersions

    init(_ publications: Publications) {
        self.publications = publications
        versions = GivenVersions(isEmpty: publications.historyBytes == 0)
    }

    /// Notes that a version of a level was given out for the publication with a number.
    func note(_ version: ContentHash, number: Int) { versions.note(Version.words(version), number: number) }

    /// The item at a path in the earlier snapshot that a version was rendered from; nil if either is not kept.
    ///
    /// - Parameter language: the number of the document's variant; nil for the document as it is written.
    func item(at path: ItemPath, in language: UInt64?, havingGiven version: Version.Words) -> Item? {
        guard let number = versions.number(of: version), let snapshot = publications.snapshot(number),
            case .found(let item) = Item.find(path, in: snapshot.document(in: language))
        else { return nil }
        return item
    }

    /// The earlier items at a path, the newest first; each has another level than the one after it.
    func items(at path: ItemPath, in language: UInt64?, before current: Item) -> some Sequence<Item> {
        let state = (last: current, snapshots: publications.replaced.makeIterator())
        return sequence(state: state) { state in
            while let snapshot = state.snapshots.next() {
                guard case .found(let item) = Item.find(path, in: snapshot.document(in: language)),
                    !item.hasSameLevel(as: state.last)
                else { continue }
                state.last = item
                return item
            }
            return nil
        }
    }
}
