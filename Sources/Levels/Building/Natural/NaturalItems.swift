internal import Bytes
public import PropertyLists

/// Makes a document of items of a document that is read as it is, so that it can be put into a database: each row becomes
/// an item with a title, and with a key if it has one of its own.
public struct NaturalItems {
    private let document: Level
    /// The structural keys of the items. None of them is the name of a field.
    public private(set) var names = StructuralNames()

    /// - Parameter tree: a tree that was read as it is.
    public init(_ tree: Tree) {
        document = tree.document
        let used = Self.fieldNames(in: document)
        for role in [StructuralNames.Role.key, .children, .sections, .sectionKeys, .sectionTitles] {
            var name = names[role][0]
            while used.contains(name) { name += "_" }
            if role == .children || name != names[role][0] { names.give([name], as: role) }
        }
        // A field of this name may itself be the title of its item.
        var title = names[.title][0]
        while used.contains(title), !Self.isTitleAlways(title, in: document) { title += "_" }
        if title != names[.title][0] { names.give([title], as: .title) }
    }

    /// The tree of the items.
    ///
    /// - Throws: `PropertyListError` if the tree exceeds the limits, or if a field has the name of a structural key that
    ///   cannot be renamed, such as `Source`, and a value that this key cannot have.
    public func tree(limits: TreeLimits = .init()) throws(PropertyListError) -> Tree {
        var builder = TreeBuilder(names: names, limits: limits)
        try send(Item.Step(level: document, row: 0), isRoot: true, to: &builder)
        return try builder.finish()
    }

    private static let nowhere = SourcePosition.byte(offset: 0)

    private func send(_ step: Item.Step, isRoot: Bool = false, to builder: inout TreeBuilder) throws(PropertyListError)
    {
        let (level, row) = (step.level, step.level.row(step.row))
        let bytes = level.bytes
        if row.isString { return try builder.string(bytes.span.extracting(row.title)) }
        try builder.beginDictionary(at: Self.nowhere)
        let title = names[.title][0]
        let fields = PackedField.all(in: row.fields, of: bytes.span).filter { !$0.isStructure }
        let hasTitle = fields.contains { bytes.span.extracting($0.name).isEqual(to: title.utf8Span.span) }
        if !isRoot, !hasTitle {
            try builder.key(title.utf8Span.span, at: Self.nowhere)
            try builder.string(bytes.span.extracting(row.title))
        }
        if row.hasExplicitKey {
            try builder.key(Array(names[.key][0].utf8).span, at: Self.nowhere)
            try builder.string(bytes.span.extracting(row.key))
        }
        for field in fields {
            try builder.key(bytes.span.extracting(field.name), at: Self.nowhere)
            var walk = PackedWalk()
            _ = try walk.tell(bytes.span, at: field.value, to: &builder)
        }
        if let below = step.below, below.rowCount > 0 || isRoot {
            try builder.key(Array(names[.children][0].utf8).span, at: Self.nowhere)
            try builder.beginArray(at: Self.nowhere)
            for row in 0..<below.rowCount { try send(Item.Step(level: below, row: row), to: &builder) }
            try builder.endArray()
        }
        try builder.endDictionary()
    }

    // MARK: The names of fields

    private static func fieldNames(in document: Level) -> Set<String> {
        var (names, waiting): (Set<String>, [Level]) = ([], [document])
        while let level = waiting.popLast() {
            let bytes = level.bytes
            for row in 0..<level.rowCount {
                for field in PackedField.all(in: level.row(row).fields, of: bytes.span) where !field.isStructure {
                    names.insert(String(utf8: bytes.span.extracting(field.name)))
                }
                if let child = level.child(row) { waiting.append(child) }
            }
        }
        return names
    }

    /// Whether each field with a name gives the title of its item.
    private static func isTitleAlways(_ name: String, in document: Level) -> Bool {
        var waiting = [document]
        while let level = waiting.popLast() {
            let bytes = level.bytes
            for number in 0..<level.rowCount {
                let row = level.row(number)
                for field in PackedField.all(in: row.fields, of: bytes.span) where !field.isStructure {
                    if bytes.span.extracting(field.name).isEqual(to: name.utf8Span.span),
                        !field.range.contains(row.titleSource)
                    {
                        return false
                    }
                }
                if let child = level.child(number) { waiting.append(child) }
            }
        }
        return true
    }
}
