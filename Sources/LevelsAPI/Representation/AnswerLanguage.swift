import Levels

/// The language of an answer from a document that has translations.
struct AnswerLanguage {
    /// The language tag for `Content-Language` (RFC 9110, section 8.5); nil for text of no particular language.
    let tag: String?

    /// Nil if the document has no translations.
    init?(of inquiry: Inquiry, in snapshot: Snapshot) {
        guard let number = inquiry.language else { return nil }
        tag = snapshot.translations?.variant(number)?.language
    }

    /// The value of `Vary`.
    static let vary = "Accept-Encoding, Accept, Accept-Language"
}
