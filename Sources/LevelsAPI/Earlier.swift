import Levels
import PropertyLists

/// The version of a level that a client has (`?since=`), looked for among what was published before.
struct Earlier {
    private let version: String
    private let path: ItemPath
    private let history: History

    /// - Throws: `Problem` (400) for a text that no version is.
    init(_ text: String, at path: ItemPath, in history: History) throws(Problem) {
        guard text.utf8.count == Version.width, text.utf8.allSatisfy(Version.isCharacter) else {
            throw .badParameter("since", "'\(text)' is no version; it is the member 'version' of an earlier answer.")
        }
        version = text
        self.path = path
        self.history = history
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
        let old = history.item(at: path, butNot: answer.item) { item in
            var before = answer
            before.item = item
            return Self.version(of: before, as: Writer.self) == self.version
        }
        return old.map { LevelChange(since: self.version, old: $0, to: answer) }
    }

    /// A version that the format could not carry was never given to anyone.
    private static func version<Writer: AnswerWriter & ~Copyable>(
        of answer: LevelAnswer, as _: Writer.Type
    ) -> String? {
        var writer = Writer()
        do { return Version.text(try answer.write(to: &writer).version) } catch { return nil }
    }
}
