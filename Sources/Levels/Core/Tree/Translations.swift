/// A document in the languages that its files have texts for.
public struct Translations: Sendable, Equatable {
    /// The document in one language.
    public struct Variant: Sendable, Equatable {
        /// What distinguishes it from the others: the language tag, or `Base`.
        public let name: String
        /// A hash of the name, by which a request refers to it.
        public let number: UInt64
        /// The language tag (RFC 5646); nil if the texts are of no particular language.
        public let language: String?
        /// A level whose one row is the root item.
        public let document: Level

        /// - Parameters:
        ///   - name: the language tag, or `Base`.
        ///   - language: the language tag; nil if the texts are of no particular language.
        ///   - document: a level whose one row is the root item.
        public init(name: String, language: String?, document: Level) {
            self.name = name
            number = Translations.number(of: name)
            self.language = language
            self.document = document
        }

        /// Whether both show the same in the same language.
        public static func == (one: Variant, other: Variant) -> Bool {
            one.name == other.name && one.language == other.language && one.document.hash == other.document.hash
        }
    }

    /// All variants; no two have the same name.
    public let variants: [Variant]
    /// The name of the variant for clients that accept none of the languages; nil for the document as it is written.
    public let fallback: String?

    /// - Parameters:
    ///   - variants: all variants; no two have the same name.
    ///   - fallback: the name of one of them, or nil for the document as it is written.
    public init(variants: [Variant], fallback: String?) {
        self.variants = variants
        self.fallback = fallback
    }

    /// The number of a name; that of the empty name stands for the document as it is written.
    public static func number(of name: String) -> UInt64 { ContentHash.short(of: name.utf8Span.span) }

    /// The variant with a number; if there is none, the one for clients that accept none of the languages.
    public func variant(_ number: UInt64) -> Variant? {
        variants.first { $0.number == number } ?? variants.first { $0.name == fallback }
    }
}
