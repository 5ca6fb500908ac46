/// The reader of the answer to a request for a level.
struct LevelReader {
    private var head = ItemHead()
    private var count: Int?
    private var start = 0
    private var sections: [Level.Section] = []
    private var rows: [Row]?
    private var next: String?
    private var hasSince = false
    private var delta = LevelDelta()

    static func read(_ bytes: [UInt8]) throws(JSONError) -> LevelAnswer {
        var reader = JSONReader(bytes)
        var level = LevelReader()
        try reader.object { name, reader throws(JSONError) in try level.read(name, &reader) }
        try reader.end()
        return try level.answer(at: reader.offset)
    }

    private mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) {
        switch name {
        case "count": count = try reader.count()
        case "start": start = try reader.count()
        case "sections":
            try reader.list { reader throws(JSONError) in sections.append(try Self.section(&reader)) }
        case "rows":
            var rows: [Row] = []
            rows.reserveCapacity(min(count ?? 0, reader.rest / RowReader.shortest))
            try reader.list { reader throws(JSONError) in rows.append(try RowReader.read(&reader, below: head.path)) }
            self.rows = rows
        case "since":
            _ = try reader.text()
            hasSince = true
        case "removed": delta.removed = try reader.texts()
        case "inserted": delta.inserted = try placedRows(&reader)
        case "moved":
            delta.moved = try Self.placed(&reader, name: "key") { reader throws(JSONError) in try reader.text() }
        case "updated": delta.updated = try placedRows(&reader)
        case "next": next = try reader.optionalText()
        default: try head.read(name, &reader)
        }
    }

    private func answer(at end: Int) throws(JSONError) -> LevelAnswer {
        try head.check(at: end)
        var level = Level(
            title: head.title, path: head.path, version: head.version, isLeaf: head.isLeaf, ancestors: head.ancestors,
            count: count ?? rows?.count ?? 0, start: start, sections: sections.isEmpty ? nil : sections,
            next: next, error: head.error)
        guard level.sectionsDivideRows else {
            throw JSONError(reason: "it has sections that do not divide its rows", at: end)
        }
        // The rows are assigned after `Level.init`, because `Level.init` would set the parents of the rows once more.
        level.rows = rows ?? []
        guard rows != nil || hasSince else { throw JSONError(reason: "it has neither 'rows' nor 'since'", at: end) }
        return LevelAnswer(level: level, delta: rows == nil ? delta : nil, follow: head.follow)
    }

    /// Reads the changes of one kind: a list of positions, each with a row or a key in the member `name`.
    private static func placed<Value: Hashable & Sendable>(
        _ reader: inout JSONReader, name: String, _ value: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> [LevelDelta.Placed<Value>] {
        var placed: [LevelDelta.Placed<Value>] = []
        try reader.list { reader throws(JSONError) in
            let start = reader.offset
            var position: Int?
            var found: Value?
            try reader.object { member, reader throws(JSONError) in
                switch member {
                case "at": position = try reader.count()
                case name: found = try value(&reader)
                default: try reader.skip()
                }
            }
            guard let position, let found else {
                throw JSONError(reason: "it has a change without 'at' or '\(name)'", at: start)
            }
            placed.append(LevelDelta.Placed(position: position, value: found))
        }
        return placed
    }

    private func placedRows(_ reader: inout JSONReader) throws(JSONError) -> [LevelDelta.Placed<Row>] {
        try Self.placed(&reader, name: "row") { reader throws(JSONError) in
            try RowReader.read(&reader, below: head.path)
        }
    }

    private static func section(_ reader: inout JSONReader) throws(JSONError) -> Level.Section {
        var section = Level.Section(start: 0, count: 0)
        try reader.object { name, reader throws(JSONError) in
            switch name {
            case "title": section.title = try reader.optionalText()
            case "index": section.index = try reader.optionalText()
            case "start": section.start = try reader.count()
            case "count": section.count = try reader.count()
            case "footer": section.footer = try reader.optionalText()
            default: try reader.skip()
            }
        }
        return section
    }
}

extension Level {
    /// Whether each section begins at the end of the previous section, and the last section ends with the last row.
    fileprivate var sectionsDivideRows: Bool {
        var end = 0
        for section in sections {
            guard section.start == end else { return false }
            end = end.saturatingSum(section.count)
        }
        return end == count
    }
}

/// The changes of a level since the answer whose link `follow` was requested (manual, Refresh).
struct LevelDelta: Hashable, Sendable {
    /// The keys of the removed rows.
    var removed: [String] = []
    /// The inserted rows, with their positions in the new list.
    var inserted: [Placed<Row>] = []
    /// The keys of the rows that moved relative to the other rows, with their positions in the new list.
    var moved: [Placed<String>] = []
    /// The rows whose content changed, with their positions in the new list.
    var updated: [Placed<Row>] = []

    /// A row or the key of a row, with a position.
    struct Placed<Value: Hashable & Sendable>: Hashable, Sendable {
        var position: Int
        var value: Value
    }
}

/// The answer to the request for a level or a page of it.
struct LevelAnswer: Hashable, Sendable {
    /// The level or the page; without rows if the answer has the changes instead.
    var level: Level
    /// The changes; nil if the answer has the rows.
    var delta: LevelDelta?
    /// The link to get next; nil if the service is older than this library.
    var follow: String?
}

extension Transport {
    /// Requests the level at a target, which may have a query.
    func level(of target: String) async throws -> Level {
        try await value(of: target) { bytes throws(JSONError) in
            let answer = try LevelReader.read(bytes)
            guard answer.delta == nil else {
                throw JSONError(reason: "it lists changes that were not requested", at: 0)
            }
            var level = answer.level
            // An insertion can name only the version of a level that was requested without a query.
            if !target.contains("?") { level.itemVersion = ItemVersion(rawValue: level.version) }
            return level
        }
    }
}
