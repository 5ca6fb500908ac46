/// The levels of an older snapshot by their content; a new tree shares those that have not changed.
///
/// A reload therefore needs memory only for what changed, and comparing two trees stops at shared references.
public final class LevelPool {
    private var levels: [ContentHash: Level] = [:]

    /// Collects all levels of a tree; linear in their number, without recursion.
    public init(_ document: Level) {
        var waiting = [document]
        while let level = waiting.popLast() {
            levels[level.hash] = level
            for child in level.children {
                if let child { waiting.append(child) }
            }
        }
    }

    /// Returns the old level with the same content, else the new one.
    public func adopt(_ level: Level) -> Level { levels[level.hash] ?? level }
}
