import Locking

/// Remembers which publication a version of a level was served for, so that `?since=` finds it without a search.
///
/// A table of a fixed size, in which newer versions replace older ones.
final class GivenVersions: Sendable {
    private struct Entry {
        var version = Version.Words(high: 0, low: 0)
        /// The number of the publication.
        var number = -1
    }

    private let entries: Guarded<[Entry]>

    /// The maximum number of versions, which take 192 KiB.
    private static let capacity = 1 << 13
    /// The number of places that a version can take; it replaces the oldest entry among them.
    private static let places = 8

    /// - Parameter isEmpty: whether to remember nothing.
    init(isEmpty: Bool) { entries = Guarded(Array(repeating: Entry(), count: isEmpty ? 0 : Self.capacity)) }

    /// Notes that a version was served for the publication with a number.
    func note(_ version: Version.Words, number: Int) {
        entries.withLock { entries in
            guard !entries.isEmpty else { return }
            let first = Self.firstPlace(of: version)
            var place = first
            for other in first..<first + Self.places {
                if entries[other].version == version {
                    place = other
                    break
                }
                if entries[other].number < entries[place].number { place = other }
            }
            entries[place] = Entry(version: version, number: number)
        }
    }

    /// The number of the publication that a version was last served for; nil if it is not remembered.
    func number(of version: Version.Words) -> Int? {
        entries.withLock { entries in
            guard !entries.isEmpty else { return nil }
            let first = Self.firstPlace(of: version)
            return entries[first..<first + Self.places].first { $0.version == version }?.number
        }
    }

    private static func firstPlace(of version: Version.Words) -> Int {
        Int(truncatingIfNeeded: version.low) & (capacity / places - 1) * places
    }
}
