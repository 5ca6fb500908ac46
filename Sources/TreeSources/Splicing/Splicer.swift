internal import Bytes
internal import Levels
internal import PropertyLists

/// Makes the pieces of a new document, in the order of its text.
///
/// A class, because what is written at a place is told by closures that write in turn.
final class Splicer {
    var text: SplicedText
    let root: TouchedItem
    var pieces = SplicePieces()
    /// What a line further in has before it, near the current place.
    var unit: [UInt8]
    var syntax: FragmentWriter.Syntax { text.syntax }

    init(_ text: SplicedText, root: TouchedItem) {
        self.text = text
        self.root = root
        unit = Array((text.syntax == .xml ? "\t" : "  ").utf8)
    }

    /// Where something new is written.
    struct Place {
        /// The layout of the new text.
        let style: FragmentStyle
        /// The indentation of the line that it begins on; nil if it begins within a line.
        let lineIndent: [UInt8]?
        /// What is between a key and its value there.
        var keyGap: [UInt8] = []
    }

    // MARK: Items

    /// Copies an item of the older document with its changes; copying has reached the item.
    func splice(_ item: TouchedItem, as new: Item.Step, by provenance: Provenance) throws(PropertyListError) {
        guard case .changed(_, let runs) = provenance else { return }
        guard let old = item.step, !item.range.isEmpty else { throw .notWhatWasRead }
        let outer = unit
        defer { unit = outer }
        switch (old.written, new.written) {
        case (.dictionary(let fields), .dictionary(let newFields)):
            guard let dictionary = item.dictionary else { throw .notWhatWasRead }
            try splice(
                dictionary, fields.map(SplicedField.init), newFields.map(SplicedField.init)
            ) { (edit) throws(PropertyListError) in
                try self.splice(edit, of: item, as: new, runs)
            }
        case (.array, .array):
            if let runs { try spliceRows(of: item, as: new, runs, whole: item.range) }
        case (.string(let title), .string(let newTitle)):
            if title == newTitle { return }
            var writer = FragmentWriter(syntax, try place(of: item.range.lowerBound).style)
            try writer.string(newTitle.span)
            try replace(item.range, by: Array(copying: writer.output.span), isScalar: true)
        default:
            pieces.copy(upTo: item.range.lowerBound)
            try rewrite(new, runs, at: place(of: item.range.lowerBound))
            pieces.pass(upTo: item.range.upperBound)
        }
    }

    /// The place of a value that is replaced by another.
    func place(of start: Int) throws(PropertyListError) -> Place {
        let indent = pieces.shifted(try text.indent(of: start))
        return Place(style: try style(indent, near: start), lineIndent: indent)
    }

    func style(_ indent: [UInt8]?, near place: Int) throws(PropertyListError) -> FragmentStyle {
        FragmentStyle(
            indent: indent, unit: unit, lineBreak: try text.lineBreak(around: place), colon: try colon())
    }

    /// JSON: what is between keys and values in this document.
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

    /// Writes an item at a place where it was not.
    func write(_ new: Item.Step, by provenance: Provenance, at place: Place) throws(PropertyListError) {
        switch provenance {
        case .new: try writeAnew(new, at: place)
        case .same(let path): try move(path, to: place) { (_) throws(PropertyListError) in }
        case .changed(let origin?, _):
            try move(origin, to: place) { (item) throws(PropertyListError) in
                try self.splice(item, as: new, by: provenance)
            }
        case .changed(nil, let runs): try rewrite(new, runs, at: place)
        }
    }

    /// Writes an item without the text that it had, but its rows as their provenance says.
    private func rewrite(
        _ new: Item.Step, _ runs: [Provenance.Run]?, at place: Place
    ) throws(PropertyListError) {
        guard let runs else { return try writeAnew(new, at: place) }
        var writer = FragmentWriter(syntax, place.style)
        try compose(new, runs, &writer, at: place)
        flush(&writer)
    }

    private func writeAnew(_ new: Item.Step, at place: Place) throws(PropertyListError) {
        var writer = FragmentWriter(syntax, place.style)
        var walk = TreeWalk(new.level, row: new.row)
        try walk.finish(to: &writer)
        flush(&writer)
    }

    func flush(_ writer: inout FragmentWriter) {
        pieces.append(Array(copying: writer.output.span))
        writer.output.truncate(to: 0)
    }

    /// Copies an item of the older document to another place, with the comments behind it on its line.
    private func move(
        _ path: [Int], to place: Place, _ change: (TouchedItem) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        guard let row = path.last else { throw .contradictoryEdit }
        let owner = try root.item(at: path.dropLast())
        let slot = try owner.slot(row)
        let range = slot.range
        var shift: IndentShift?
        if let new = place.lineIndent, let old = try text.lineIndent(around: range.lowerBound) {
            shift = IndentShift(old: old, new: new)
        }
        let there = pieces.leave(for: range.lowerBound, shift: shift)
        defer { pieces.resume(at: there) }
        if let item = owner.below[row] { try change(item) }
        pieces.copy(upTo: range.upperBound)
        guard try text.indent(of: range.lowerBound) != nil, syntax == .xml else { return }
        let line = try text.lineEnd(after: range.upperBound)
        if line.end != nil { pieces.copy(upTo: line.comments) }
    }
}
