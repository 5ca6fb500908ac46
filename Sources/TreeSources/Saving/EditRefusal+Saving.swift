package import Levels

extension EditRefusal {
    /// Why a source's edits cannot be saved, as an answer.
    package init(_ refusal: SaveRefusal) {
        let sentence = refusal.description
        self.init(.conflict, sentence.prefix(1).uppercased() + sentence.dropFirst())
    }
}
