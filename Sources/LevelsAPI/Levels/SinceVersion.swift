import Levels
import PropertyLists

/// The version of a level that a client has (`?since=`), looked for among what was published before.
struct SinceVersion {
    private let version: RequestedVersion
    private let path: ItemPath
    private let history: History
    private let known: Item?

    /// How many times the bytes of the level as it is now are written in search of a version that was not given out
    /// here: whoever asks may name any.
    private static let searchedLevels = 6
    /// The same in bytes, for a short level.
    private static let leastSearched = 16 << 10
    /// What a row takes at least when it is written, in bytes.
    private static let leastRowBytes = 90

    /// - Parameter known: the state that the client is known to have; then no other is looked at.
    init(_ version: RequestedVersion, at path: ItemPath, in history: History, known: Item?) {
        self.version = version
        self.path = path
        self.history = history
        self.known = known
    }

    /// How the level became what it is; nil where the version is not remembered.
    ///
    /// - Parameters:
    ///   - answer: the level as it is now.
    ///   - version: that of the answer.
    ///   - bytes: how long the answer is.
    func change<Writer: AnswerWriter & ~Copyable>(
        to answer: LevelAnswer, version: ContentHash, bytes: Int, as _: Writer.Type
    ) -> LevelChange? {
        let since = self.version.text
        if Version.words(version) == self.version.words {
            return LevelChange(since: since, old: answer.item, to: answer)
        }
        return old(answer, bytes, as: Writer.self).map { LevelChange(since: since, old: $0, to: answer) }
    }

    private func old<Writer: AnswerWriter & ~Copyable>(
        _ answer: LevelAnswer, _ bytes: Int, as _: Writer.Type
    ) -> Item? {
        if let known { return isVersion(of: known, answer, as: Writer.self).matches ? known : nil }
        guard let words = version.words else { return nil }
        if let given = history.item(at: path, havingGiven: words),
            isVersion(of: given, answer, as: Writer.self).matches
        {
            return given
        }
        return search(for: answer, atMost: max(bytes * Self.searchedLevels, Self.leastSearched), as: Writer.self)
    }

    /// Looks through what is held, the newest first, as long as no more than some bytes are written for it.
    private func search<Writer: AnswerWriter & ~Copyable>(
        for answer: LevelAnswer, atMost limit: Int, as _: Writer.Type
    ) -> Item? {
        var bytes = 0
        for item in history.items(at: path, before: answer.item) {
            let rows = answer.asked(of: item).rows.count
            guard bytes + rows * Self.leastRowBytes <= limit else { return nil }
            let state = isVersion(of: item, answer, as: Writer.self)
            if state.matches { return item }
            bytes += state.bytes
        }
        return nil
    }

    /// Whether an earlier state of the item, asked for in the same way, has the version; and how long it is.
    ///
    /// A version that the format could not carry was never given to anyone.
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
