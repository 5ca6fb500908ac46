/// A document in each language for which its files have texts.
public struct Translations: Sendable, Equatable {
    /// The document in one language.
    public struct Variant: Sendable, Equatable {
        /// The name: the language tag, or `Base`.
        public let name: String
        /// The hash of the name, which identifies the variant in a request.
        public let number: UInt64
        /// The language tag (RFC 5646); nil if the texts are in no particular language.
        public let language: String?
        /// A level whose one row is the root item.
        public let document: Level

        public init(name: String, language: String?, document: Level) {
            self.name = name
            number = Translations.number(of: name)
            self.language = language
            self.document = document
        }

        public static func == (one: Variant, other: Variant) -> Bool {
            one.name == other.name && one.language == other.language && one.document.hash == other.document.hash
        }
    }

    /// All variants; no two have the same name.
    public let variants: [Variant]
    /// The name of the variant for clients that accept none of the languages; nil for the document as written.
    public let fallback: String?

    public init(variants: [Variant], fallback: String?) {
        self.variants = variants
        self.fallback = fallback
    }

    /// The number of a name; the empty name stands for the document as written.
    public static func number(of name: String) -> UInt64 { ContentHash.short(of: name.utf8Span.span) }

    /// Returns the variant with this number, or else the variant for clients that accept none of the languages. Nil
    /// stands for the document as written.
    public func variant(_ number: UInt64) -> Variant? {
        variants.first { $0.number == number } ?? variants.first { $0.name == fallback }
    }
}
