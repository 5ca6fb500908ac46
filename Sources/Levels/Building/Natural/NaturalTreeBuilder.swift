import Bytes
public import PropertyLists

/// Builds a tree from a document that is read as it is, by the outcome of a `NaturalSurvey` of the same document
/// (manual, Documents).
///
/// An array or a dictionary is either an item or a part of a field; the survey has decided which. When an item ends,
/// its rows get their titles and keys (`NaturalLevels.swift`).
public struct NaturalTreeBuilder: PropertyListConsumer, ~Copyable {
    var tree: TreeAssembly
    let reading: NaturalReading
    /// The open containers, outermost first.
    var open: [OpenContainer] = []
    /// The rows of the open dictionaries. The fields of a dictionary surround its rows, so the rows wait here until it
    /// ends.
    var members = Members()
    var summary = ReadingSummary()
    /// What was decided when the document was read before; nil for a first reading.
    private let earlier: KeptReading?
    /// Whether the document itself is a map, whose dictionaries have titles.
    var isRootMap = false
    var keepsRootMap: Bool { earlier?.isRootMap == true }
    /// The number of containers that have begun.
    private var containers = 0
    /// The number of open items.
    private var depth = 0

    struct OpenContainer {
        enum Role {
            /// An item that is a dictionary.
            case dictionary
            /// An item that is an array, whose elements are its rows.
            case array
            /// The array under a children name, whose elements are the rows of its dictionary.
            case children
            /// A dictionary or an array that is a field or a part of a field.
            case dictionaryField, arrayField

            var isItem: Bool { self == .dictionary || self == .array }
            var holdsElements: Bool { self == .array || self == .children }
        }

        let role: Role
        let number: Int
        let position: SourcePosition
        var base: TreeAssembly.Base
        let membersBase: Members.Base
        /// The level of the array under a children name.
        var level: Level?
        /// The field of the array under a children name.
        var childrenField: Int?
        var hasRepeatedKeys = false
        /// The number of elements so far.
        var elements = 0
    }

    /// - Parameters:
    ///   - reading: the outcome of a survey of the same document.
    ///   - isXML: whether the reader guarantees that XML can represent all text.
    ///   - pool: the levels of the previous tree.
    ///   - earlier: what was decided when the document was read before.
    ///   - progress: the counter of items.
    public init(
        _ reading: NaturalReading, limits: TreeLimits = .init(), isXML: Bool = false, pool: LevelPool? = nil,
        keeping earlier: KeptReading? = nil, progress: ReadingProgress? = nil
    ) {
        self.reading = reading
        self.earlier = earlier
        tree = TreeAssembly(limits: limits, isXML: isXML, pool: pool, progress: progress)
    }

    /// The finished tree: a level whose one row is the root item.
    ///
    /// - Throws: `PropertyListError` if the document was empty.
    public consuming func finish() throws(PropertyListError) -> Tree {
        guard let document = tree.document else {
            throw PropertyListError(reason: "the document is empty; it needs an array or a dictionary")
        }
        var tree = Tree(document: document, warnings: tree.warnings)
        tree.reading = summary.sentence(
            childrenNames: reading.childrenNames,
            isArray: document.row(0).fields.isEmpty && document.child(0)?.form == .list)
        try tree.keep(
            reading.hasGivenNames ? nil : earlier, childrenNames: reading.childrenNames, isRootMap: isRootMap)
        return tree
    }

    public mutating func warning(_ message: String, at position: SourcePosition) {
        warn(message, at: position, path: nil)
    }

    /// Adds a warning about the document.
    public mutating func warn(_ message: String, at position: SourcePosition, path: String?) {
        tree.warnings.add(DocumentWarning(position: position, path: path ?? "/", message: message))
    }

    /// The names and the numbers of elements from the root to the current value; nil before the document.
    public func currentPath() -> String? {
        guard !open.isEmpty else { return nil }
        var steps: [String] = []
        for (number, container) in open.enumerated() {
            switch container.role {
            case .array, .children, .arrayField:
                if container.elements > 0 { steps.append("\(container.elements)") }
            case .dictionary, .dictionaryField:
                // The fields of the next container follow the field that it is the value of.
                let end = number + 1 < open.count ? open[number + 1].base.field : tree.fields.count
                guard end > container.base.field else { continue }
                steps.append(String(utf8: tree.fields.bytes.span.extracting(tree.fields.start(end - 1).name)))
            }
        }
        return TitlePath.text(steps)
    }
}

/// Containers that begin.
extension NaturalTreeBuilder {
    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        try begin(isDictionary: true, at: position)
    }

    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try begin(isDictionary: false, at: position)
    }

    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        tree.note(name)
        let base = open[open.count - 1].base.field
        guard let earlier = tree.fields.begin(name, meaning: .init(), base: base, at: position) else { return }
        open[open.count - 1].hasRepeatedKeys = true
        guard !tree.warnings.isFull else { return tree.warnings.omit() }
        guard let first = tree.fields.start(earlier).place.position else { return }
        warn(
            RepeatedKey.message(QuotedText(utf8: name), first: first, second: position), at: position,
            path: currentPath())
    }

    private mutating func begin(isDictionary: Bool, at position: SourcePosition) throws(PropertyListError) {
        let number = containers
        guard number < reading.count else {
            throw PropertyListError(reason: "the document changed while it was read; save it again")
        }
        containers += 1
        let role = role(of: number, isDictionary: isDictionary)
        if !open.isEmpty { open[open.count - 1].elements += 1 }
        if role.isItem {
            try tree.countItem()
            guard depth <= tree.limits.depth else {
                throw PropertyListError(
                    reason: "items nest deeper than \(tree.limits.depth) levels; flatten the document")
            }
            depth += 1
        }
        switch role {
        case .dictionary, .array:
            if open.last?.role == .dictionary { tree.fields.hole(.members) }
        case .children:
            tree.fields.hole(.list)
            open[open.count - 1].childrenField = tree.fields.count - 1
        case .dictionaryField: _ = tree.fields.bytes.beginContainer(.dictionary)
        case .arrayField: _ = tree.fields.bytes.beginContainer(.array)
        }
        open.append(
            OpenContainer(
                role: role, number: number, position: position, base: tree.base, membersBase: members.base))
    }

    private func role(of number: Int, isDictionary: Bool) -> OpenContainer.Role {
        guard let parent = open.last else { return isDictionary ? .dictionary : .array }
        let field: OpenContainer.Role = isDictionary ? .dictionaryField : .arrayField
        switch parent.role {
        case .dictionaryField, .arrayField: return field
        case .array, .children: return isDictionary ? .dictionary : .array
        case .dictionary:
            guard !reading[parent.number].contains(.hasChildren) else {
                let name = tree.fields.bytes.span.extracting(tree.fields.start(tree.fields.count - 1).name)
                return !isDictionary && !hasChildren(parent) && reading.isChildrenName(hash: TableHash.of(name))
                    ? .children : field
            }
            let isRow =
                open.count == 1 || reading[parent.number].contains(.isMap)
                || reading[number].contains(isDictionary ? .isMap : .isList)
            return isRow ? isDictionary ? .dictionary : .array : field
        }
    }
}

/// Values that are not containers: fields, or rows.
extension NaturalTreeBuilder {
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        tree.note(text)
        guard try beginsElement() else { return tree.fields.bytes.append(PackedTag.string, content: text) }
        let start = tree.fields.bytes.count
        if text.count > ShortText.mostBytes {
            appendTitleField()
            let value = tree.fields.bytes.count
            tree.fields.bytes.append(PackedTag.string, content: text)
            return addValue(value, from: start, title: nil)
        }
        tree.fields.bytes.append(text)
        tree.add(
            PendingRow(fields: start..<start, title: start..<tree.fields.bytes.count, isString: true), level: nil)
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        tree.note(value)
        guard try beginsElement() else { return tree.fields.bytes.append(packed: value) }
        let start = tree.fields.bytes.count
        appendTitleField()
        let offset = tree.fields.bytes.count
        tree.fields.bytes.append(packed: value)
        addValue(offset, from: start, title: value.text)
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        guard try beginsElement() else { return tree.fields.bytes.append(PackedTag.data, content: bytes) }
        let start = tree.fields.bytes.count
        appendTitleField()
        let value = tree.fields.bytes.count
        tree.fields.bytes.append(PackedTag.data, content: bytes)
        addValue(value, from: start, title: nil)
    }

    public static var omitsNullEntries: Bool { true }

    /// Leaves out a null element, as if it were not there.
    public mutating func null() throws(PropertyListError) {
        guard !open.isEmpty else {
            throw PropertyListError(reason: "the document is null; it needs an array or a dictionary")
        }
    }

    /// Whether the next value is a row. Counts the row.
    private mutating func beginsElement() throws(PropertyListError) -> Bool {
        guard let parent = open.last else {
            throw PropertyListError(reason: "the document is one value; it needs an array or a dictionary")
        }
        open[open.count - 1].elements += 1
        guard parent.role.holdsElements else { return false }
        try tree.countItem()
        return true
    }

    private mutating func appendTitleField() { tree.fields.bytes.append(run: "Title".utf8Span.span) }

    /// Adds a row that stands for a value; its one field is `Title`.
    ///
    /// - Parameters:
    ///   - value: the offset of the value.
    ///   - title: the row's title; nil for its number.
    private mutating func addValue(_ value: Int, from start: Int, title: String?) {
        tree.fields.bytes.appendPlace(named: "", form: .value)
        let end = tree.fields.bytes.count
        let number = open[open.count - 1].elements
        let title = tree.fields.loose(title ?? "\(number)")
        tree.add(PendingRow(fields: start..<end, title: title, titleSource: value), level: nil)
    }
}

/// Containers that end.
extension NaturalTreeBuilder {
    public mutating func endDictionary() throws(PropertyListError) {
        try tree.checkComplete()
        let container = open[open.count - 1]
        if container.role == .dictionary { dropRepeatedMembers(of: container) }
        let level = container.role == .dictionary ? try level(of: container) : nil
        _ = tree.fields.close(base: container.base.field)
        if container.role == .dictionary { return try endItem(container, level: level) }
        open.removeLast()
        if tree.fields.replaceWithUID(dictionaryAt: container.base.start) { return }
        try tree.fields.bytes.endContainer(at: container.base.start)
    }

    public mutating func endArray() throws(PropertyListError) {
        try tree.checkComplete()
        let container = open[open.count - 1]
        switch container.role {
        case .array: try endItem(container, level: try listLevel(of: container) ?? .emptyList)
        case .children:
            open[open.count - 2].level = try listLevel(of: container)
            open.removeLast()
        case .dictionary, .dictionaryField, .arrayField:
            open.removeLast()
            try tree.fields.bytes.endContainer(at: container.base.start)
        }
    }

    /// Adds the row of an item that ends.
    private mutating func endItem(_ item: OpenContainer, level: Level?) throws(PropertyListError) {
        open.removeLast()
        depth -= 1
        let fields = item.base.start..<tree.fields.bytes.count
        guard let parent = open.last else {
            tree.add(PendingRow(fields: fields, title: tree.fields.loose("Root")), level: level)
            return try tree.complete(.list)
        }
        guard parent.role == .dictionary else {
            // A dictionary gets its title when the list is complete.
            let title =
                item.role == .array ? tree.fields.loose("\(parent.elements)") : fields.upperBound..<fields.upperBound
            return tree.add(
                PendingRow(fields: fields, title: title, place: PackedPosition(item.position)), level: level)
        }
        members.add(fields, of: tree.fields, level: level, place: PackedPosition(item.position))
        tree.fields.bytes.truncate(to: fields.lowerBound)
    }
}
