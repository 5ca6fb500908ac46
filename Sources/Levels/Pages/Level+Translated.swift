internal import Bytes
internal import PropertyLists

extension Level {
    /// The level of a settings page with the texts that it shows in another language; O(bytes).
    ///
    /// Keys, fields and the levels below are the same: a path does not depend on the language.
    ///
    /// - Parameter translation: the translation of a text; nil for one that has none.
    public func translated(_ translation: @escaping (String) -> String?) -> Level {
        var output = LevelTranslation(self, translation)
        let bytes = output.rows()
        let sections = allSections.map { section in
            var section = section
            section.title = section.title.map { translation($0) ?? $0 }
            section.footer = section.footer.map { translation($0) ?? $0 }
            return section
        }
        if bytes == self.bytes, sections == allSections { return self }
        return Level(
            bytes: bytes, children: children, sections: sections, keyIndex: keyIndex, form: form,
            mayHoldTextBeyondXML: true, rowsMayHoldOrders: mayHoldOrders)
    }
}

/// Packs the rows of a level again, with other titles.
private struct LevelTranslation: ~Copyable {
    private let level: Level
    private let translate: (String) -> String?
    private var output = ByteBuffer()

    init(_ level: Level, _ translate: @escaping (String) -> String?) {
        self.level = level
        self.translate = translate
    }

    /// The bytes of the translated level.
    mutating func rows() -> [UInt8] {
        let source = level.bytes
        for _ in 0...level.rowCount { output.append(halfWord: 0) }
        // The fingerprints of the keys, which stay.
        let table = (level.rowCount + 1) * 4
        output.append(source.span.extracting(table..<level.packed(0..<0).lowerBound))
        for number in 0..<level.rowCount {
            output.replace(at: number * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
            append(number, of: source.span)
        }
        output.replace(at: level.rowCount * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
        return Array(copying: output.span)
    }

    private mutating func append(_ number: Int, of source: Span<UInt8>) {
        let row = level.row(number)
        let title = level.title(number)
        let translated = title.isEmpty ? nil : translate(title)
        var gathered = ByteBuffer()
        appendFields(row, of: source, to: &gathered)
        let end = gathered.count
        gathered.append(translated ?? title)
        var pending = PendingRow(
            fields: 0..<end, title: end..<gathered.count, isString: row.isString, marks: row.flags.intersection(.marks))
        if translated == nil, !row.flags.contains(.hasOwnTitle) {
            pending.title = row.title.moved(by: -row.fields.lowerBound)
        }
        // Only whether there is one counts here; the key itself follows.
        if row.flags.contains(.hasExplicitKey) { pending.explicitKey = 0..<0 }
        let isOwn = row.flags.contains(.hasOwnKey) || translated != nil
        LevelAssembler.append(
            pending, key: isOwn ? Array(copying: source.extracting(row.key)) : nil, from: gathered.span, to: &output)
    }

    /// Copies the fields, with the translated titles of the control's options.
    private func appendFields(_ row: Row, of source: Span<UInt8>, to output: inout ByteBuffer) {
        guard let control = row.control(in: source) else { return output.append(source.extracting(row.fields)) }
        for field in PackedField.all(in: row.fields, of: source) {
            if field.tag == .control {
                PackedControl.append(members(control, of: source).span, to: &output)
            } else {
                output.append(source.extracting(field.range))
            }
        }
    }

    private func members(_ control: Range<Int>, of source: Span<UInt8>) -> ByteBuffer {
        var members = ByteBuffer()
        for member in PackedField.all(in: control, of: source) {
            let isOptions = source.extracting(member.name).isEqual(to: "options".utf8Span.span)
            if isOptions, member.tag == .array {
                appendOptions(PackedDictionary(source, control), to: &members)
            } else {
                members.append(source.extracting(member.range))
            }
        }
        return members
    }

    private func appendOptions(_ control: PackedDictionary, to output: inout ByteBuffer) {
        var options: [(title: String, value: Range<Int>)] = []
        for element in control.elements("options") {
            // After the tag and the size of a dictionary.
            let option = PackedDictionary(control.bytes, element.lowerBound + 5..<element.upperBound)
            guard let title = option.text("title"), let value = option.packed("value") else { continue }
            options.append((translate(title) ?? title, value))
        }
        PackedControl.appendOptions(options, from: control.bytes, to: &output)
    }
}
