extension LevelQuery {
    /// Sorts by these fields; each later field breaks ties.
    ///
    /// Without a key, the rows are in the order of the document, even if the level's item has another order (`SortBy`).
    public func sorted(by keys: SortKey...) -> LevelQuery { sorted(by: keys) }

    /// Sorts by the fields of a list; each later field breaks ties.
    public func sorted(by keys: [SortKey]) -> LevelQuery {
        setting("sort", to: keys.map { ($0.isDescending ? "-" : "") + $0.field }.joined(separator: ","))
    }

    /// Divides the rows into sections.
    public func grouped(by grouping: Grouping) -> LevelQuery {
        switch grouping {
        case .initial: setting("group", to: "initial")
        case .field(let name): setting("group", to: name)
        case .ungrouped: setting("group", to: "")
        }
    }

    /// Selects rows whose field is equal to a value. A row must meet all conditions of a query.
    public func `where`(_ field: String, equals value: FieldValue) -> LevelQuery {
        adding(field, comparison: ":", value: value)
    }

    /// Selects rows whose field is less than a value.
    public func `where`(_ field: String, isLessThan value: FieldValue) -> LevelQuery {
        adding(field, comparison: "<", value: value)
    }

    /// Selects rows whose field is greater than a value.
    public func `where`(_ field: String, isGreaterThan value: FieldValue) -> LevelQuery {
        adding(field, comparison: ">", value: value)
    }

    /// Selects rows whose field contains a text; case and accents are ignored.
    public func `where`(_ field: String, contains text: String) -> LevelQuery {
        adding(field, comparison: "~", value: .text(text))
    }

    /// Searches all items below the level, on all levels, for a text.
    ///
    /// - Parameters:
    ///   - text: the text; case and accents are ignored.
    ///   - fields: the fields that are searched; the title alone by default.
    public func searching(for text: String, in fields: SearchedFields = .title) -> LevelQuery {
        let query = setting("q", to: text)
        return switch fields {
        case .title: query.removing("in")
        case .all: query.setting("in", to: "*")
        case .named(let names): query.setting("in", to: names.joined(separator: ","))
        }
    }

    /// Requests an outline: the rows of this many levels in one list, in which children follow their parent.
    public func outlined(depth: Int) -> LevelQuery { setting("depth", to: String(depth)) }

    /// Requests an outline: the rows of all levels below in one list, in which children follow their parent.
    public func outlined() -> LevelQuery { setting("depth", to: "all") }

    /// Requests an outline in which these items, and all items above them, are open.
    ///
    /// - Parameter paths: paths relative to the level: `["Screen G"]` opens a row of the level itself.
    public func outlined(expanding paths: some Sequence<ItemPath>) -> LevelQuery {
        setting("expand", to: paths.map(\.encoded).joined(separator: ","))
    }

    /// Requests rows with these fields instead of the usual fields.
    public func showing(_ fields: ShownFields) -> LevelQuery {
        switch fields {
        case .usual: removing("fields")
        case .all: setting("fields", to: "*")
        case .noFields: setting("fields", to: "")
        case .named(let names): setting("fields", to: names.joined(separator: ","))
        }
    }

    /// Requests a page of at most this many rows, from 1 to 10,000.
    public func limited(to rows: Int) -> LevelQuery { setting("limit", to: String(rows)) }

    /// Requests a page that begins at a position on the level, from 0.
    public func starting(at position: Int) -> LevelQuery { setting("start", to: String(position)) }
}

// The same methods as static methods, with which a query can begin: `.sorted(by: "Title").limited(to: 20)`.
extension LevelQuery {
    /// Sorts by these fields; each later field breaks ties.
    public static func sorted(by keys: SortKey...) -> LevelQuery { all.sorted(by: keys) }

    /// Sorts by the fields of a list; each later field breaks ties.
    public static func sorted(by keys: [SortKey]) -> LevelQuery { all.sorted(by: keys) }

    /// Divides the rows into sections.
    public static func grouped(by grouping: Grouping) -> LevelQuery { all.grouped(by: grouping) }

    /// Selects rows whose field is equal to a value.
    public static func `where`(_ field: String, equals value: FieldValue) -> LevelQuery {
        all.where(field, equals: value)
    }

    /// Selects rows whose field is less than a value.
    public static func `where`(_ field: String, isLessThan value: FieldValue) -> LevelQuery {
        all.where(field, isLessThan: value)
    }

    /// Selects rows whose field is greater than a value.
    public static func `where`(_ field: String, isGreaterThan value: FieldValue) -> LevelQuery {
        all.where(field, isGreaterThan: value)
    }

    /// Selects rows whose field contains a text; case and accents are ignored.
    public static func `where`(_ field: String, contains text: String) -> LevelQuery {
        all.where(field, contains: text)
    }

    /// Searches all items below the level, on all levels, for a text.
    public static func searching(for text: String, in fields: SearchedFields = .title) -> LevelQuery {
        all.searching(for: text, in: fields)
    }

    /// Requests an outline: the rows of this many levels in one list, in which children follow their parent.
    public static func outlined(depth: Int) -> LevelQuery { all.outlined(depth: depth) }

    /// Requests an outline: the rows of all levels below in one list, in which children follow their parent.
    public static func outlined() -> LevelQuery { all.outlined() }

    /// Requests an outline in which these items, and all items above them, are open.
    public static func outlined(expanding paths: some Sequence<ItemPath>) -> LevelQuery {
        all.outlined(expanding: paths)
    }

    /// Requests rows with these fields instead of the usual fields.
    public static func showing(_ fields: ShownFields) -> LevelQuery { all.showing(fields) }

    /// Requests a page of at most this many rows, from 1 to 10,000.
    public static func limited(to rows: Int) -> LevelQuery { all.limited(to: rows) }

    /// Requests a page that begins at a position on the level, from 0.
    public static func starting(at position: Int) -> LevelQuery { all.starting(at: position) }
}
