import Levels
import PropertyLists

/// The version of a level that a client says it has.
struct RequestedVersion {
    let text: String
    /// Nil for a text that has the form of a version, and cannot be one.
    let words: Version.Words?

    /// Reads a version; nil for a text that does not have the form of one.
    init?(_ text: String) {
        guard text.utf8.count == Version.width, text.utf8.allSatisfy(Version.isCharacter) else { return nil }
        self.text = text
        words = Version.words(ofVersion: text.utf8Span.span)
    }
}
