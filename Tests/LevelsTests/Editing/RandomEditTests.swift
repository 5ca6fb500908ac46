import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// An edited tree is the tree that a builder makes of the edited document.
@Suite struct RandomEditTests {
    @Test("Random edits give the trees that are built of the edited documents", arguments: 0..<10)
    func edits(_ part: Int) throws {
        for seed in RandomRounds.first(3 as UInt64) {
            let contents = part % 2 == 0 ? RandomDocument.Contents.binary : [.binary, .orders]
            var edits = try RandomEdits(seed: UInt64(part * 1_000) + seed, contents)
            for number in 0..<40 {
                let outcome = try edits.next()
                try check(outcome, of: edits.tree, "seed \(seed), edit \(number), \(outcome.name)")
                edits.take(outcome)
                let next = UInt64(part * 1_000 + 500 + number) + seed * 40
                if edits.isLarge { edits = try RandomEdits(seed: next, contents) }
            }
        }
    }

    private func check(_ outcome: RandomEdits.Outcome, of old: Level, _ name: String) throws {
        let built: Level
        do {
            built = try outcome.document.value.tree().document
        } catch {
            // A document has places, unlike a tree.
            let reason = error.reason.replacing(" at byte 0", with: "")
            #expect(outcome.refusal?.description == reason, "\(name)")
            return
        }
        let edited = try #require(outcome.tree, "\(name): \(outcome.refusal?.description ?? "")")
        let known = LevelComparison.levels(of: old)
        #expect(LevelComparison.difference(edited, built, known: known) == nil, "\(name)")
        // Removed orders may be looked for; present orders must be found.
        #expect(edited.mayHoldOrders || !built.mayHoldOrders, "\(name)")
        #expect(LevelComparison.levels(of: edited).subtracting(known).count <= outcome.newLevels, "\(name)")
    }
}
