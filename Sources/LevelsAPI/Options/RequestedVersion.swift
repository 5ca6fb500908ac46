import Levels
import PropertyLists

/// The version of a level that a client says it has.
struct RequestedVersion {
    let text: String
    /// The value of the version; nil if the text has the form of a version but no possible value.
    let words: Version.Words?

    /// Parses a version; nil if the text does not have the form of one.
    init?(_ text: String) {
        guard text.utf8.count == Version.width, text.utf8.allSatisfy(Version.isCharacter) else { return nil }
        self.text = text
        words = Version.words(ofVersion: text.utf8Span.span)
    }
}
