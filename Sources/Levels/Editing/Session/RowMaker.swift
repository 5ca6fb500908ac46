internal import Bytes
internal import PropertyLists

/// Makes single rows in the same way as the document's builder.
struct RowMaker {
    private let names: StructuralNames
    private let limits: TreeLimits
    let syntax: PropertyListSyntax
    /// The section of the row, if the section's `Type` makes controls of its rows; otherwise nil.
    let group: Section?
    /// Whether the row is the root's.
    let isRoot: Bool

    init(
        names: StructuralNames, limits: TreeLimits, syntax: PropertyListSyntax, group: Section? = nil,
        isRoot: Bool = false
    ) {
        (self.names, self.limits) = (names, limits)
        self.syntax = syntax
        self.group = group
        self.isRoot = isRoot
    }

    /// A row with everything below it, in a level of its own.
    struct Made {
        let step: Item.Step
        /// The references to other files in the row and below it.
        let parts: [PartReference]
    }

    private static let nowhere = SourcePosition.byte(offset: 0)

    /// Makes the row of a new item.
    ///
    /// - Throws: `EditRefusal` of the kind `invalid`, with the JSON pointer to the error.
    func row(of item: PropertyListValue) throws(EditRefusal) -> Made {
        var values = values
        try wrap { () throws(PropertyListError) in try begin(&values.builder) }
        try Self.send(item, below: "", to: &values)
        return try end(values)
    }

    /// Makes the row of an item with other content.
    ///
    /// The draft keeps the level below the row. Only a table is read again here, from the level below `old`.
    func row(of content: ItemContent, replacing old: Item.Step) throws(EditRefusal) -> Made {
        var values = values
        try wrap { () throws(PropertyListError) in try begin(&values.builder) }
        if content.isString, case .field(let entry)? = content.parts.first {
            try Self.send(entry.value, below: JSONPointer.step(entry.key), to: &values)
        } else {
            try wrap { () throws(PropertyListError) in try values.beginDictionary(at: Self.nowhere) }
            for part in content.parts { try send(part, of: old, to: &values) }
            try Self.locate("") { () throws(PropertyListError) in try values.endDictionary() }
        }
        return try end(values)
    }

    private var values: FileValues {
        FileValues(builder: TreeBuilder(names: names, limits: limits, isXML: syntax == .xml), syntax: syntax)
    }

    // MARK: Sending

    private static func send(
        _ value: PropertyListValue, below pointer: String, to values: inout FileValues
    ) throws(EditRefusal) {
        var walk = PropertyListValueWalk(value)
        do throws(PropertyListError) {
            try walk.finish(to: &values)
        } catch {
            throw EditRefusal(.invalid(pointer: pointer + walk.pointer), detail: error.sentence)
        }
    }

    private func send(
        _ part: ItemContent.Part, of old: Item.Step, to values: inout FileValues
    ) throws(EditRefusal) {
        switch part {
        case .field(let entry):
            let pointer = JSONPointer.step(entry.key)
            try Self.locate(pointer) { () throws(PropertyListError) in
                try values.key(Array(entry.key.utf8).span, at: Self.nowhere)
            }
            try Self.send(entry.value, below: pointer, to: &values)
        case .structure(let name, let packed):
            try wrap { () throws(PropertyListError) in
                guard let level = old.below, level.form.isDrilled,
                    packed.first == PackedTag.hole.rawValue
                else { return try values.builder.keep(name.span, packed: packed.span) }
                try values.builder.key(name.span, at: Self.nowhere)
                try values.builder.beginArray(at: Self.nowhere)
                var walk = TreeWalk(recordsBelow: level)
                try walk.finish(to: &values.builder)
            }
        }
    }

    private static func locate(
        _ pointer: String, _ body: () throws(PropertyListError) -> Void
    ) throws(EditRefusal) {
        do throws(PropertyListError) { try body() } catch {
            throw EditRefusal(.invalid(pointer: pointer), detail: error.sentence)
        }
    }

    /// Converts an error that is not in the client's item into a conflict.
    private func wrap<Result>(_ body: () throws(PropertyListError) -> Result) throws(EditRefusal) -> Result {
        do throws(PropertyListError) { return try body() } catch {
            throw EditRefusal(.conflict, detail: error.sentence)
        }
    }

    // MARK: The surroundings of the item

    private func begin(_ builder: inout TreeBuilder) throws(PropertyListError) {
        if !isRoot { try builder.beginArray(at: Self.nowhere) }
    }

    private func end(_ values: consuming FileValues) throws(EditRefusal) -> Made {
        do throws(PropertyListError) {
            if !isRoot { try values.builder.endArray() }
            let tree = try values.finish()
            guard let level = isRoot ? tree.document : tree.document.child(0), level.rowCount == 1 else {
                throw PropertyListError(reason: "the item cannot be read")
            }
            let shown = try group.map { group throws(PropertyListError) in try self.level(level, in: group) } ?? level
            return Made(step: Item.Step(level: shown, row: 0), parts: tree.parts.map(\.reference))
        } catch {
            throw EditRefusal(.invalid(pointer: ""), detail: error.sentence)
        }
    }

    /// Makes the only row of a level a control, as the section does with its rows.
    private func level(_ level: Level, in group: Section) throws(PropertyListError) -> Level {
        var group = group
        (group.start, group.count) = (0, 1)
        var gatherer = RowGatherer(names)
        let row = gatherer.gather(level, number: 0)
        var rows = SetAsideRows(
            bytes: Array(copying: gatherer.bytes.span), rows: [row], children: level.children, sections: [group],
            form: level.form, position: Self.nowhere)
        try rows.addControls()
        var assembler = LevelAssembler(pool: nil)
        return try assembler.assemble(
            rows.rows.span, from: rows.bytes.span,
            parts: LevelAssembler.Parts(
                children: rows.children, form: rows.form, mayHoldTextBeyondXML: level.rowsHoldTextBeyondXML))
    }
}

/// Converts values to types that the document's file can hold, and builds a tree of them.
struct FileValues: PropertyListConsumer, ~Copyable {
    var builder: TreeBuilder
    private let syntax: PropertyListSyntax

    init(builder: consuming TreeBuilder, syntax: PropertyListSyntax) {
        self.builder = builder
        self.syntax = syntax
    }

    consuming func finish() throws(PropertyListError) -> Tree { try builder.finish() }

    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        try builder.beginDictionary(at: position)
    }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try check(name)
        try builder.key(name, at: position)
    }

    mutating func endDictionary() throws(PropertyListError) { try builder.endDictionary() }

    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try builder.beginArray(at: position)
    }

    mutating func endArray() throws(PropertyListError) { try builder.endArray() }

    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        try check(text)
        try builder.string(text)
    }

    mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        switch (value, syntax) {
        case (.real(let number), .json) where !number.isFinite: try string(Array(JSONText.real(number).utf8).span)
        case (.date(let seconds), .json): try string(Array(JSONText.date(seconds).utf8).span)
        case (.date(let seconds), .xml) where seconds != seconds.rounded(.down):
            try string(Array(JSONText.date(seconds).utf8).span)
        default: try builder.scalar(value)
        }
    }

    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        guard syntax == .json else { return try builder.data(bytes) }
        var text = ByteBuffer()
        text.append(base64: bytes)
        try string(text.span)
    }

    private func check(_ text: Span<UInt8>) throws(PropertyListError) {
        guard syntax == .xml, XMLText.holdsMoreThanXML(text) else { return }
        throw PropertyListError(
            reason: "an XML document cannot contain control characters, U+FFFE or U+FFFF; leave them out of the text")
    }
}
