internal import Bytes
internal import Levels
internal import PropertyLists

/// Makes the pieces of a new document, in the order of its text.
///
/// A class, because nested closures append to the same `pieces`.
final class Splicer {
    var text: SplicedText
    let root: TouchedItem
    var pieces = SplicePieces()
    /// One unit of indentation near the current place.
    var unit: [UInt8]
    var syntax: FragmentWriter.Syntax { text.syntax }

    init(text: SplicedText, root: TouchedItem) {
        self.text = text
        self.root = root
        unit = Array((text.syntax == .xml ? "\t" : "  ").utf8)
    }

    /// The place and layout of new text.
    struct Place {
        /// The layout of the new text.
        let style: FragmentStyle
        /// The indentation of the line that the new text begins; nil if the text is within a line.
        let lineIndent: [UInt8]?
        /// The text between a key and its value.
        var keyGap: [UInt8] = []
    }

    // MARK: Items

    /// Copies an item of the older document with its changes, from the current place on.
    func splice(_ item: TouchedItem, as new: Item.Step, by edited: ItemDraft) throws(PropertyListError) {
        guard edited.change == .changed else { return }
        guard let old = item.step, !item.range.isEmpty else { throw .notWhatWasRead }
        let outer = unit
        defer { unit = outer }
        switch (old.written, new.written) {
        case (.dictionary(let fields), .dictionary(let newFields)):
            guard let dictionary = item.dictionary else { throw .notWhatWasRead }
            try splice(
                dictionary, old: fields.map(SplicedField.init), new: newFields.map(SplicedField.init)
            ) { (edit) throws(PropertyListError) in
                try self.splice(edit, of: item, as: new, draft: edited.draft)
            }
        case (.array, .array):
            if let draft = edited.draft { try spliceRows(of: item, as: new, draft: draft, whole: item.range) }
        case (.string(let title), .string(let newTitle)):
            if title == newTitle { return }
            var writer = FragmentWriter(syntax: syntax, style: try place(of: item.range.lowerBound).style)
            try writer.string(newTitle.span)
            try replace(item.range, by: Array(copying: writer.output.span), isScalar: true)
        default:
            pieces.copy(upTo: item.range.lowerBound)
            try rewrite(new, draft: edited.draft, at: place(of: item.range.lowerBound))
            pieces.pass(upTo: item.range.upperBound)
        }
    }

    /// The place of a value that is to be replaced.
    func place(of start: Int) throws(PropertyListError) -> Place {
        let indent = pieces.shifted(try text.indent(of: start))
        return Place(style: try style(indent, near: start), lineIndent: indent)
    }

    func style(_ indent: [UInt8]?, near place: Int) throws(PropertyListError) -> FragmentStyle {
        FragmentStyle(
            indent: indent, unit: unit, lineBreak: try text.lineBreak(around: place), colon: try colon())
    }

    /// The text between keys and values in this document, for JSON.
    func colon() throws(PropertyListError) -> [UInt8] {
        if let knownColon { return knownColon }
        var colon = Array(": ".utf8)
        if let entry = root.dictionary?.entries.first {
            let found = try text.characters(
                entry.key.upperBound..<min(entry.value.lowerBound, entry.key.upperBound + 8))
            if found.allSatisfy({ $0.isBlank || $0 == UInt8(ascii: ":") }) { colon = found }
        } else if syntax == .json, try !text.isSpaced(near: root.range.lowerBound) {
            colon = Array(":".utf8)
        }
        knownColon = colon
        return colon
    }

    private var knownColon: [UInt8]?

    // MARK: New items

    /// Writes an item at a new place.
    func write(_ new: Item.Step, by edited: ItemDraft, at place: Place) throws(PropertyListError) {
        guard edited.change != .new else { return try writeAnew(new, at: place) }
        guard let origin = edited.origin else { return try rewrite(new, draft: edited.draft, at: place) }
        try move(origin, to: place) { (item) throws(PropertyListError) in try self.splice(item, as: new, by: edited) }
    }

    /// Writes an item as new text, but its rows according to their origins.
    private func rewrite(_ new: Item.Step, draft: LevelDraft?, at place: Place) throws(PropertyListError) {
        guard let draft else { return try writeAnew(new, at: place) }
        try write(at: place) { (writer) throws(PropertyListError) in
            try self.compose(new, draft: draft, writer: &writer)
        }
    }

    private func writeAnew(_ new: Item.Step, at place: Place) throws(PropertyListError) {
        try write(at: place) { (writer) throws(PropertyListError) in try self.write(new, to: &writer) }
    }

    private func write(_ new: Item.Step, to writer: inout FragmentWriter) throws(PropertyListError) {
        var walk = TreeWalk(level: new.level, row: new.row)
        try walk.finish(to: &writer)
    }

    /// Writes new text in the layout of a place.
    func write(
        at place: Place, _ body: (inout FragmentWriter) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        var writer = FragmentWriter(syntax: syntax, style: place.style)
        try body(&writer)
        flush(&writer)
    }

    func flush(_ writer: inout FragmentWriter) {
        pieces.append(Array(copying: writer.output.span))
        writer.output.truncate(to: 0)
    }

    /// Copies an item of the older document to another place. In XML, the comments after the item on its line are
    /// copied, too.
    private func move(
        _ path: [Int], to place: Place, _ change: (TouchedItem) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        guard let row = path.last else { throw .contradictoryEdit }
        let owner = try root.item(at: path.dropLast())
        let range = try owner.slot(row).range
        try copy(range, to: place) { () throws(PropertyListError) in
            if let item = owner.below[row] { try change(item) }
        }
    }

    /// Copies a value of the older document to another place, with the comments after it on its line.
    func copy(
        _ range: Range<Int>, to place: Place, _ change: () throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        var shift: IndentShift?
        if let new = place.lineIndent, let old = try text.lineIndent(around: range.lowerBound) {
            shift = IndentShift(old: old, new: new)
        }
        let there = pieces.leave(for: range.lowerBound, shift: shift)
        defer { pieces.resume(at: there) }
        try change()
        pieces.copy(upTo: range.upperBound)
        guard try text.indent(of: range.lowerBound) != nil, syntax == .xml else { return }
        let line = try text.lineEnd(after: range.upperBound)
        if line.end != nil { pieces.copy(upTo: line.comments) }
    }
}

/// New items whose rows come from the older document.
extension Splicer {
    /// Writes a new item. Its rows are written according to their origins.
    func compose(
        _ new: Item.Step, draft: LevelDraft?, writer: inout FragmentWriter
    ) throws(PropertyListError) {
        let nowhere = SourcePosition.byte(offset: 0)
        switch new.written {
        case .string(let title): try writer.string(title.span)
        case .array: try composeRows(new, draft: draft, writer: &writer)
        case .dictionary(let fields):
            writer.beginDictionary(at: nowhere)
            for field in fields {
                try writer.key(field.name.span, at: nowhere)
                if field.form == nil {
                    try field.tell(to: &writer)
                } else {
                    try composeRows(new, draft: draft, writer: &writer)
                }
            }
            try writer.endDictionary()
        }
    }

    /// Writes the rows below an item, or the sections with these rows.
    func composeRows(
        _ new: Item.Step, draft: LevelDraft?, writer: inout FragmentWriter
    ) throws(PropertyListError) {
        let nowhere = SourcePosition.byte(offset: 0)
        let form = new.writtenForm
        if form?.isDrilled == true { throw .contradictoryEdit }
        guard form != .rows, let level = new.below else {
            return try composeArray(new.writtenSections.first?.rows ?? 0..<0, new: new, draft: draft, writer: &writer)
        }
        if form == .namedSections { writer.beginDictionary(at: nowhere) } else { writer.beginArray(at: nowhere) }
        for section in level.writtenSections {
            if form == .namedSections { try writer.key(section.name.span, at: nowhere) }
            guard let fields = section.fields else {
                try composeArray(section.rows, new: new, draft: draft, writer: &writer)
                continue
            }
            writer.beginDictionary(at: nowhere)
            for field in fields {
                try writer.key(field.name.span, at: nowhere)
                if field.form == nil {
                    try field.tell(to: &writer)
                } else {
                    try composeArray(section.rows, new: new, draft: draft, writer: &writer)
                }
            }
            try writer.endDictionary()
        }
        if form == .namedSections { try writer.endDictionary() } else { try writer.endArray() }
    }

    /// Writes an array of some of the rows below an item.
    func composeArray(
        _ rows: Range<Int>, new: Item.Step, draft: LevelDraft?,
        writer: inout FragmentWriter
    ) throws(PropertyListError) {
        writer.beginArray(at: .byte(offset: 0))
        if let level = new.below {
            var row = rows.lowerBound
            for run in draft?.runs(in: rows) ?? [.old(rows)] {
                switch run {
                case .old(let old):
                    for row in row..<row + old.count { try write(Item.Step(level: level, row: row), to: &writer) }
                    row += old.count
                case .item(let item):
                    writer.beginElement()
                    flush(&writer)
                    var style = writer.style
                    style.indent = writer.indent
                    let step = Item.Step(level: level, row: row)
                    try write(step, by: item, at: Place(style: style, lineIndent: style.indent))
                    row += 1
                }
            }
        }
        try writer.endArray()
    }
}
