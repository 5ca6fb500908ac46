internal import Bytes

/// Rows that mount the root of another document.
extension RowGatherer {
    /// Appends a row: first its own fields, then the fields of the mounted root.
    ///
    /// A field of the row overrides the root's field of the same name. The row's title overrides the root's title, even
    /// under another name for titles; the same holds for the key. The root's structural fields describe the level.
    ///
    /// - Parameter isDocument: whether the row is the root of its own document.
    mutating func gather(_ own: Item.Step, mounting root: Item.Step, isDocument: Bool) -> PendingRow {
        let start = bytes.count
        let bytes = own.level.bytes
        let fields = PackedField.all(in: own.level.row(own.row).fields, of: bytes.span).filter { !$0.isStructure }
        for field in fields { append(bytes.span.extracting(field.range)) }
        appendFields(of: root, beside: taken(by: fields, in: bytes.span))
        let content = start..<self.bytes.count
        var row = PendingRow(fields: content, title: content.upperBound..<content.upperBound)
        row.marks = own.level.row(own.row).flags.union(root.level.row(root.row).flags).intersection(.marks)
        row.marks.remove(.isPart)
        if let key = key(in: content) {
            row.explicitKey = PackedReader(bytes: self.bytes.span, at: key).text
            row.keySource = key
        }
        if let value = titleValue(in: content) {
            row.title = title(at: value)
            row.titleSource = value
        } else if isDocument {
            row.title = appendLoose(own.level.title(own.row))
        } else if row.explicitKey == nil,
            let source = PackedDictionary(bytes: self.bytes.span, fields: content).textRange(PartReference.sourceName)
        {
            // An untitled item shows the path of its document, as in `ItemRows.swift`.
            row.title = source
        }
        return row
    }

    /// The names of the fields that the root does not contribute, because the row's own fields override them.
    private func taken(by fields: [PackedField], in bytes: Span<UInt8>) -> Set<String> {
        var taken: Set<String> = []
        for field in fields { taken.insert(String(utf8: bytes.extracting(field.name))) }
        let isTitled = fields.contains { field in
            names[.title].contains(String(utf8: bytes.extracting(field.name)))
                && PackedReader(bytes: bytes, at: field.value).scalarText != nil
        }
        let hasKey = fields.contains { field in
            field.tag == .string && names[.key].contains(String(utf8: bytes.extracting(field.name)))
        }
        if isTitled { taken.formUnion(names[.title]) }
        if hasKey { taken.formUnion(names[.key]) }
        return taken
    }

    private mutating func appendFields(of root: Item.Step, beside taken: Set<String>) {
        let bytes = root.level.bytes
        var hasPlace = false
        for field in PackedField.all(in: root.level.row(root.row).fields, of: bytes.span) {
            guard field.isStructure || !taken.contains(String(utf8: bytes.span.extracting(field.name))) else {
                continue
            }
            hasPlace = hasPlace || field.isHole
            append(bytes.span.extracting(field.range))
        }
        // The root of an array document lacks fields, so a place for its level is added. No place is added if the level
        // could not be read, or if it is a settings page, because the page's specifiers are a field.
        guard !hasPlace, let level = root.below, level.refusal == nil, level.form != .specifiers else {
            return
        }
        appendPlace(named: names.newLevelName(level.form), form: level.form)
    }

    // MARK: The title and the key

    /// The value under the strongest title name with a value that can be a title.
    private func titleValue(in content: Range<Int>) -> Int? {
        value(under: .title, in: content) { $0.scalarText != nil }
    }

    private mutating func title(at value: Int) -> Range<Int> {
        if let text = PackedReader(bytes: bytes.span, at: value).text { return text }
        return appendLoose(PackedReader(bytes: bytes.span, at: value).scalarText ?? "")
    }

    private func key(in content: Range<Int>) -> Int? { value(under: .key, in: content) { $0.text != nil } }

    private func value(
        under role: StructuralNames.Role, in content: Range<Int>, where isWanted: (PackedReader) -> Bool
    ) -> Int? {
        for name in names[role] {
            guard let value = PackedDictionary(bytes: bytes.span, fields: content).value(name) else { continue }
            if isWanted(PackedReader(bytes: bytes.span, at: value)) { return value }
        }
        return nil
    }
}
