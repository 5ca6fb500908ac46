import Levels
import PropertyLists

/// The version of a level that a client has (`?since=`), looked for among what was published before.
struct Earlier {
    private let version: String
    private let path: ItemPath
    private let history: History
    private let known: Item?

    /// How many bytes of earlier states are written in search of a version, some 50 ms: who asks may name any.
    private static let searchedBytes = 16 << 20

    /// - Parameter known: the state that the client is known to have; then no other is looked at.
    /// - Throws: `Problem` (400) for a text that no version is.
    init(_ text: String, at path: ItemPath, in history: History, known: Item?) throws(Problem) {
        guard text.utf8.count == Version.width, text.utf8.allSatisfy(Version.isCharacter) else {
            throw .badParameter(
                "since", "\(Quoted(text)) is no version; it is the member 'version' of an earlier answer.")
        }
        version = text
        self.path = path
        self.history = history
        self.known = known
    }

    /// How the level became what it is; nil where the version is not remembered.
    ///
    /// - Parameters:
    ///   - answer: the level as it is now.
    ///   - version: that of the answer.
    func change<Writer: AnswerWriter & ~Copyable>(
        to answer: LevelAnswer, version: ContentHash, as _: Writer.Type
    ) -> LevelChange? {
        if Version.text(version) == self.version {
            return LevelChange(since: self.version, old: answer.item, to: answer)
        }
        let old =
            if let known { search(CollectionOfOne(known), for: answer, as: Writer.self) } else {
                search(history.items(at: path, before: answer.item), for: answer, as: Writer.self)
            }
        return old.map { LevelChange(since: self.version, old: $0, to: answer) }
    }

    private func search<Writer: AnswerWriter & ~Copyable>(
        _ items: some Sequence<Item>, for answer: LevelAnswer, as _: Writer.Type
    ) -> Item? {
        var bytes = 0
        for item in items {
            var before = answer
            before.item = item
            let written = Self.written(before, as: Writer.self)
            if written.version == version { return item }
            bytes += written.bytes
            if bytes > Self.searchedBytes { return nil }
        }
        return nil
    }

    /// A version that the format could not carry was never given to anyone.
    private static func written<Writer: AnswerWriter & ~Copyable>(
        _ answer: LevelAnswer, as _: Writer.Type
    ) -> (version: String?, bytes: Int) {
        var writer = Writer()
        let version: String?
        do { version = Version.text(try answer.write(to: &writer).version) } catch { version = nil }
        return (version, writer.count)
    }
}
