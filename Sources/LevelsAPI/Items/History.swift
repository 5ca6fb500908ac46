import Bytes
import Levels
import Locking
import PropertyLists
import TreeStore

/// Finds earlier states of an item among the snapshots that are kept, for `?since=`.
final class History: Sendable {
    private let publications: Publications
    private let arrangements: ArrangementCache
    private let versions: GivenVersions
    /// The latest answers of sources that are not in memory, by version.
    private let pages: Guarded<CostedEntries<Version.Words, LevelAnswer>>

    private static let pageBytes = 16 << 20

    init(publications: Publications, arrangements: ArrangementCache) {
        self.publications = publications
        self.arrangements = arrangements
        versions = GivenVersions(isEmpty: publications.historyBytes == 0)
        pages = Guarded(CostedEntries(budget: publications.historyBytes == 0 ? 0 : Self.pageBytes))
    }

    /// Keeps an answer of a source that cannot give this answer again.
    func keep(_ answer: LevelAnswer, version: ContentHash) {
        pages.withLock { $0.keep(answer, key: Version.words(version), cost: answer.page.residentBytes) }
    }

    /// The answer that had a version; nil if the answer is not kept.
    func answer(havingHad version: Version.Words) -> LevelAnswer? { pages.withLock { $0.value(of: version) } }

    /// Notes that a version of a level was sent for the publication with a number.
    func note(_ version: ContentHash, number: Int) { versions.note(Version.words(version), number: number) }

    /// The item of a question in the snapshot from which a version was rendered. Nil if that snapshot is not known or
    /// not kept.
    func item(asked question: Question, since version: RequestedVersion) -> ShownItem? {
        guard let words = version.words, let number = versions.number(of: words),
            let snapshot = publications.snapshot(number)
        else { return nil }
        return item(at: question.path, in: question.language, of: snapshot)
    }

    /// The earlier states of the item at a path, the newest first. A state is left out if its rows are the same as in
    /// the next newer state.
    func items(at path: ItemPath, in language: UInt64?, before current: Item) -> some Sequence<ShownItem> {
        let state = (last: current, snapshots: publications.replaced.makeIterator())
        return sequence(state: state) { state in
            while let snapshot = state.snapshots.next() {
                guard let shown = self.item(at: path, in: language, of: snapshot),
                    !shown.item.hasSameLevel(as: state.last)
                else { continue }
                state.last = shown.item
                return shown
            }
            return nil
        }
    }

    private func item(at path: ItemPath, in language: UInt64?, of snapshot: Snapshot) -> ShownItem? {
        let source = snapshot.source(at: path, arrangements: arrangements, language: language)
        do throws(RowRefusal) {
            guard case .found(let item) = try source.find(path) else { return nil }
            return ShownItem(item: item, source: source)
        } catch {
            return nil
        }
    }
}

/// Remembers the publication of each version of a level that was sent, so that `?since=` finds the publication without
/// a search.
///
/// A table of a fixed size, in which newer versions replace older ones.
final class GivenVersions: Sendable {
    private struct Entry {
        var version = Version.Words(high: 0, low: 0)
        var number = -1
    }

    private let entries: Guarded<[Entry]>

    /// The number of entries. All entries together take 192 KiB.
    private static let capacity = 1 << 13
    /// The number of places that a version may take. A new version replaces the oldest entry in these places.
    private static let places = 8

    /// - Parameter isEmpty: whether to remember nothing.
    init(isEmpty: Bool) { entries = Guarded(Array(repeating: Entry(), count: isEmpty ? 0 : Self.capacity)) }

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

    /// The number of the publication for which a version was last sent; nil if the version is not remembered.
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

/// The version of a level that a client has (`?since=`), and the search for this version in earlier publications.
struct SinceVersion {
    let version: RequestedVersion
    let question: Question
    let history: History
    /// The state that the client is known to have; nil to search for the state.
    let known: ShownItem?
    /// Whether earlier publications can be searched. This is possible only if their source still answers.
    let isSearched: Bool

    /// The maximum length of all levels that are written in search of an unrecorded version, as a multiple of the
    /// length of the current level. A limit is necessary, because clients may send any version.
    private static let searchedLevels = 6
    /// The minimum of this limit, in bytes.
    private static let leastSearched = 16 << 10
    /// The maximum number of rows that are looked at in search of an unrecorded version.
    private static let searchedRows = 10_000
    /// The minimum length of a row, in bytes. It serves to estimate the length of an answer before the answer is
    /// written.
    private static let leastRowBytes = 90

    /// The change from the client's version to an answer; nil if the client's version is unknown.
    ///
    /// - Parameters:
    ///   - version: the version of the answer.
    ///   - bytes: the length of the answer.
    func change(to answer: LevelAnswer, version: ContentHash, bytes: Int) -> LevelChange? {
        let isNow = Version.words(version) == self.version.words
        let earlier = isNow ? answer : earlier(answer, bytes: bytes)
        return earlier.map { LevelChange(since: self.version.text, from: $0, to: answer) }
    }

    private func earlier(_ answer: LevelAnswer, bytes: Int) -> LevelAnswer? {
        if let known { return answer.asked(of: known).flatMap { matches($0).matches ? $0 : nil } }
        guard let words = version.words else { return nil }
        if let kept = history.answer(havingHad: words) { return kept }
        guard isSearched else { return nil }
        if let item = history.item(asked: question, since: version), let given = answer.asked(of: item),
            matches(given).matches
        {
            return given
        }
        return search(for: answer, atMost: max(bytes * Self.searchedLevels, Self.leastSearched))
    }

    /// Searches the kept snapshots, the newest first, until too many bytes have been written or rows looked at.
    private func search(for answer: LevelAnswer, atMost limit: Int) -> LevelAnswer? {
        var (bytes, rows) = (0, 0)
        for item in history.items(at: question.path, in: question.language, before: answer.item) {
            rows += item.work(question, limit: Self.searchedRows)
            guard rows <= Self.searchedRows, let earlier = answer.asked(of: item),
                bytes + earlier.page.numbers.count * Self.leastRowBytes <= limit
            else { return nil }
            let state = matches(earlier)
            if state.matches { return earlier }
            bytes += state.bytes
        }
        return nil
    }

    /// Whether an earlier answer to the same request has the client's version, and the length of that answer. An answer
    /// that the format cannot represent never had a version.
    private func matches(_ earlier: LevelAnswer) -> (matches: Bool, bytes: Int) {
        question.delivery.format == .plist
            ? matches(earlier, empty: XMLPropertyListWriter.init())
            : matches(earlier, empty: JSONPropertyListWriter.init())
    }

    private func matches<Writer: AnswerWriter & ~Copyable>(
        _ earlier: LevelAnswer, empty: consuming Writer
    ) -> (matches: Bool, bytes: Int) {
        var writer = empty
        do {
            let version = try earlier.write(to: &writer).version
            return (Version.words(version) == self.version.words, writer.output.count)
        } catch {
            return (false, writer.output.count)
        }
    }
}
