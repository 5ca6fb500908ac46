public import PropertyLists

/// A violation of the rules of trees by a document or an edit.
public enum TreeError: Error, Equatable, Sendable {
    /// Two rows of a level have the same key.
    indirect case sharedKey(SharedKey)
    /// In one level, more keys than this limit share a hash.
    case equalHashes(limit: Int)
    /// A level takes more than 4 GiB.
    case levelTooLarge
    /// The memory does not suffice for a level.
    case outOfMemory
    /// Items nest deeper than this many levels.
    case tooDeep(limit: Int)
    /// The number of items exceeds this limit.
    case tooManyItems(limit: Int)
    /// A row's number is out of range.
    case noRow(Int, rows: Int)
    /// An offset exceeds the number of rows.
    case noPlace(Int, rows: Int)
    /// A section's number is out of range.
    case noSection(Int, sections: Int)
    /// An edit would remove or move the root item.
    case root
    /// An edit would move an item into itself, or below itself.
    case intoItself
    /// The tree has the shape `any`, in which positions determine titles.
    case anyShape
    /// The document is read as it is.
    case naturalShape
    /// The rows are made from a table.
    case records
}

extension TreeError: CustomStringConvertible {
    /// A whole sentence without the final full stop: the error and the rule.
    public var description: String {
        switch self {
        case .sharedKey(let shared): shared.message
        case .equalHashes(let limit):
            "more than \(limit) keys of one level share a hash (XXH3-64), which does not happen by chance; change their titles"
        case .levelTooLarge: "one level holds more than 4 GiB; divide it into several"
        case .outOfMemory: PropertyListError.outOfMemory.reason
        case .tooDeep(let limit): "items nest deeper than \(limit) levels; flatten the tree"
        case .tooManyItems(let limit):
            "the document holds more than \(Quantity(count: limit, noun: "item")); split it, or raise MaxItems"
        case .noRow(let row, let rows):
            "row \(row) is out of range for \(Quantity(count: rows, noun: "row")); rows are numbered from 0"
        case .noPlace(let offset, let rows):
            "a row cannot be inserted at \(offset) among \(Quantity(count: rows, noun: "row")); the offset must be from 0 to \(rows)"
        case .noSection(let section, let sections):
            "section \(section) is out of range for \(Quantity(count: sections, noun: "section")); sections are numbered from 0"
        case .root: "the root item cannot be removed or moved"
        case .intoItself: "an item cannot be moved into itself or below itself"
        case .records:
            "items below 'DrillBy' are made from the records of a table; edit the records in the document or its file"
        case .anyShape: "a document of shape 'any' cannot be edited; only a document of items can"
        case .naturalShape: "a document that is read as it is cannot be edited; only a document of items can"
        }
    }

    /// The position of the second row with the same key; nil for an edit and for other errors.
    var position: SourcePosition? {
        if case .sharedKey(let shared) = self { shared.second.position } else { nil }
    }
}

/// Two rows of one level with the same `Key`.
public struct SharedKey: Equatable, Sendable {
    /// The key.
    public let key: String
    /// The two rows, in the order of the level.
    public let first, second: Row

    /// One of the two rows.
    public struct Row: Equatable, Sendable {
        /// The number of the row in the level.
        public let number: Int
        /// The title of the row; may be empty.
        public let title: String
        /// The position in the document; nil for a row of an edited tree.
        public let position: SourcePosition?

        fileprivate func phrase(apartFrom other: Row) -> String {
            let name = title.isEmpty ? "row \(number + 1)" : "'\(quoted: title)'"
            return name + (position.map { " \($0.phrase(apartFrom: other.position))" } ?? "")
        }
    }

    /// The message: a whole sentence without the final full stop.
    var message: String {
        "two rows have the Key '\(quoted: key)', \(first.phrase(apartFrom: second)) and "
            + "\(second.phrase(apartFrom: first)); a Key must be unique among siblings"
    }
}

extension SourcePosition {
    /// `on line 12` or `at byte 4711`. The column follows if `other` is on the same line.
    func phrase(apartFrom other: SourcePosition?) -> String {
        switch (self, other) {
        case (.byte(let offset), _): "at byte \(offset)"
        case (.text(let line, let column), .text(let another, _)) where line == another:
            "on line \(line), column \(column)"
        case (.text(let line, _), _): "on line \(line)"
        }
    }
}
