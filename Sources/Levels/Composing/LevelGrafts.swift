/// The levels with parts of one document, and what they became.
typealias LevelGrafts = [ObjectIdentifier: LevelGraft]

/// A level as its file has it, and the same level with its parts, or those of the levels below, in their places.
struct LevelGraft: Sendable {
    /// Kept, so that its identity is that of no other level.
    let source: Level
    let composed: Level
    /// The documents and levels that were put in, in order; nil for a part that is left out.
    let scions: [Level?]

    /// Whether composing the level again would give the same.
    func isMade(of others: [Level?]) -> Bool {
        scions.count == others.count && zip(scions, others).allSatisfy { $0 === $1 }
    }
}
