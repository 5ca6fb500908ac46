import Levels
import PropertyLists

/// The version of a level that a client has (`?since=`), which is searched for in earlier publications.
struct SinceVersion {
    private let version: RequestedVersion
    private let path: ItemPath
    /// The number of the document's variant; nil for the document as it is written.
    private let language: UInt64?
    private let history: History
    private let known: Item?

    /// The limit of what is written in search of a version that was not recorded, as a multiple of the current level's
    /// bytes: clients may send any version.
    private static let searchedLevels = 6
    /// The limit for a short level, in bytes.
    private static let leastSearched = 16 << 10
    /// The minimum size of a written row, in bytes.
    private static let leastRowBytes = 90

    /// - Parameters:
    ///   - language: the number of the document's variant; nil for the document as it is written.
    ///   - known: the state that the client is known to have; nil to search for it.
    init(
        _ version: RequestedVersion, at path: ItemPath, in language: UInt64?, _ history: History, known: Item?
    ) {
        self.language = language
        self.version = version
        self.path = path
        self.history = history
        self.known = known
    }

    /// The change from the version to the current level; nil if the version is unknown.
    ///
    /// - Parameters:
    ///   - answer: the current level.
    ///   - version: the version of the answer.
    ///   - bytes: the length of the answer.
    ///   - format: the format of the answer; versions depend on it.
    func change(to answer: LevelAnswer, version: ContentHash, bytes: Int, _ format: Format) -> LevelChange? {
        let isNow = Version.words(version) == self.version.words
        let old =
            switch format {
            case _ where isNow: answer.item
            case .plist: old(answer, bytes, as: XMLPropertyListWriter.self)
            case .json, .binary: old(answer, bytes, as: JSONPropertyListWriter.self)
            }
        return old.map { LevelChange(since: self.version.text, old: $0, to: answer) }
    }

    private func old<Writer: AnswerWriter & ~Copyable>(
        _ answer: LevelAnswer, _ bytes: Int, as _: Writer.Type
    ) -> Item? {
        if let known { return isVersion(of: known, answer, as: Writer.self).matches ? known : nil }
        guard let words = version.words else { return nil }
        if let given = history.item(at: path, in: language, havingGiven: words),
            isVersion(of: given, answer, as: Writer.self).matches
        {
            return given
        }
        return search(for: answer, atMost: max(bytes * Self.searchedLevels, Self.leastSearched), as: Writer.self)
    }

    /// Searches the kept snapshots, the newest first, until too many bytes have been written.
    private func search<Writer: AnswerWriter & ~Copyable>(
        for answer: LevelAnswer, atMost limit: Int, as _: Writer.Type
    ) -> Item? {
        var bytes = 0
        for item in history.items(at: path, in: language, before: answer.item) {
            let rows = answer.asked(of: item).rows.count
            guard bytes + rows * Self.leastRowBytes <= limit else { return nil }
            let state = isVersion(of: item, answer, as: Writer.self)
            if state.matches { return item }
            bytes += state.bytes
        }
        return nil
    }

    /// Whether an earlier state answers the same request with the version; and the length of that answer.
    ///
    /// An answer that the format cannot represent never had a version.
    private func isVersion<Writer: AnswerWriter & ~Copyable>(
        of item: Item, _ answer: LevelAnswer, as _: Writer.Type
    ) -> (matches: Bool, bytes: Int) {
        var writer = Writer()
        do {
            let version = try answer.asked(of: item).write(to: &writer).version
            return (Version.words(version) == self.version.words, writer.count)
        } catch {
            return (false, writer.count)
        }
    }
}
