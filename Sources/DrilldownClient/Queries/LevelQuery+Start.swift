// The same methods at the start of a query, so that it can be written `.sorted(by: "Title").limited(to: 20)`.
extension LevelQuery {
    /// Sorts by these fields; each later field breaks ties.
    public static func sorted(by keys: SortKey...) -> LevelQuery { all.sorted(by: keys) }

    /// Sorts by the fields of a list; each later field breaks ties.
    public static func sorted(by keys: [SortKey]) -> LevelQuery { all.sorted(by: keys) }

    /// The rows divided into sections.
    public static func grouped(by grouping: Grouping) -> LevelQuery { all.grouped(by: grouping) }

    /// Only rows whose field has a value.
    public static func `where`(_ field: String, equals value: FieldValue) -> LevelQuery {
        all.where(field, equals: value)
    }

    /// Only rows whose field is less than a value.
    public static func `where`(_ field: String, isLessThan value: FieldValue) -> LevelQuery {
        all.where(field, isLessThan: value)
    }

    /// Only rows whose field is greater than a value.
    public static func `where`(_ field: String, isGreaterThan value: FieldValue) -> LevelQuery {
        all.where(field, isGreaterThan: value)
    }

    /// Only rows whose field contains a text; case and accents are ignored.
    public static func `where`(_ field: String, contains text: String) -> LevelQuery {
        all.where(field, contains: text)
    }

    /// A search: all items below the level, on all levels, that contain a text.
    public static func searching(for text: String, in fields: SearchedFields = .title) -> LevelQuery {
        all.searching(for: text, in: fields)
    }

    /// An outline: the rows of this many levels, flattened in order.
    public static func outlined(depth: Int) -> LevelQuery { all.outlined(depth: depth) }

    /// An outline: the rows of all levels below, flattened in order.
    public static func outlined() -> LevelQuery { all.outlined() }

    /// An outline in which these items, and all items above them, are open.
    public static func outlined(expanding paths: some Sequence<ItemPath>) -> LevelQuery {
        all.outlined(expanding: paths)
    }

    /// Rows that show these fields instead of the usual ones.
    public static func showing(_ fields: ShownFields) -> LevelQuery { all.showing(fields) }

    /// A page of at most this many rows, from 1 to 10,000.
    public static func limited(to rows: Int) -> LevelQuery { all.limited(to: rows) }

    /// A page that begins at a position on the level, from 0.
    public static func starting(at position: Int) -> LevelQuery { all.starting(at: position) }
}
