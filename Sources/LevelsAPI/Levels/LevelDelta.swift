import Levels
import PropertyLists

/// The answer to `?since=`: the level, with what changed instead of its rows.
struct LevelDelta: ItemAnswer {
    let answer: LevelAnswer
    let change: LevelChange
    /// The version of the answer with its rows.
    let version: ContentHash

    func write<Writer: AnswerWriter & ~Copyable>(
        to writer: inout Writer
    ) throws(PropertyListError) -> (version: ContentHash, next: String?) {
        (version, try answer.write(change, version: version, to: &writer))
    }
}
