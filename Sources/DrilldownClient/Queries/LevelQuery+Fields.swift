extension LevelQuery {
    /// The fields that a search looks at.
    public enum SearchedFields: Hashable, Sendable, ExpressibleByArrayLiteral {
        /// The title alone.
        case title
        /// The title and every field.
        case all
        /// The fields with these names.
        case named([String])

        /// The fields with these names: `["Title", "Text"]`.
        public init(arrayLiteral names: String...) { self = .named(names) }
    }

    /// The fields that a row shows.
    public enum ShownFields: Hashable, Sendable, ExpressibleByArrayLiteral {
        /// `Subtitle`, `Image`, `Kind`, `View`, `Tag`, `Value` and `Type`.
        case usual
        /// All fields.
        case all
        /// No fields.
        case noFields
        /// The fields with these names.
        case named([String])

        /// The fields with these names: `["Price", "Artist"]`.
        public init(arrayLiteral names: String...) { self = .named(names) }
    }
}
