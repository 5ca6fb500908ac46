/// The levels of an older snapshot by their content: a new tree takes those over that are as they were.
///
/// So a reload needs memory for what changed alone, and a comparison of the two trees is done where references agree.
public final class LevelPool {
    private var levels: [ContentHash: Level] = [:]

    /// All levels of a tree; linear in their number, without recursion.
    public init(_ document: Level) {
        var waiting = [document]
        while let level = waiting.popLast() {
            levels[level.hash] = level
            for child in level.children {
                if let child { waiting.append(child) }
            }
        }
    }

    /// The old level of the same content, else the new one itself.
    func adopt(_ level: Level) -> Level { levels[level.hash] ?? level }
}
