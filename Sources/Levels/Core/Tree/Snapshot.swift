internal import Bytes

/// One immutable state of the whole tree; a reader holds it for the whole response.
public final class Snapshot: Sendable {
    /// Why a snapshot was published.
    public enum Cause: Sendable, Equatable {
        /// The source was loaded.
        case load
        /// A client edited the document: the name of its token, nil for one without a name.
        case edit(author: String?)
    }

    /// A level whose one row is the root item.
    public let document: Level
    /// The document in other languages; nil if it has no translations.
    public let translations: Translations?
    /// An opaque name of this state, such as `k3f9ab-12`; it differs after a restart.
    public let revision: String
    /// The time of loading, in seconds since 1970.
    public let loadedAt: Double
    /// The files of a tree that was composed of several; nil for one file.
    public let composition: Composition?
    /// Why it was published.
    public let cause: Cause

    /// Takes the tree over when the last reader releases it; if nil, that reader frees it.
    private let release: (@Sendable (Level) -> Void)?

    /// - Parameters:
    ///   - translations: the document in other languages.
    ///   - release: takes the document over on the thread of the last reader, when that reader releases it; if nil,
    ///     that thread frees the document itself.
    public init(
        document: Level, translations: Translations? = nil, revision: String, loadedAt: Double,
        composition: Composition? = nil, cause: Cause = .load,
        release: (@Sendable (Level) -> Void)? = nil
    ) {
        self.document = document
        self.translations = translations
        self.revision = revision
        self.loadedAt = loadedAt
        self.composition = composition
        self.cause = cause
        self.release = release
    }

    deinit { release?(document) }

    /// The number of items, not counting the root.
    public var itemCount: Int { document.itemCount - 1 }
}

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

extension Snapshot {
    /// The document in a language, or else in the one for clients that accept none.
    ///
    /// - Parameter number: the number of a variant; nil for the document as it is written.
    @inline(__always)
    public func document(in number: UInt64?) -> Level {
        guard let number, let translations else { return document }
        return translations.variant(number)?.document ?? document
    }
}
