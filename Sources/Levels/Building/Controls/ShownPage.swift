internal import Bytes
public import PropertyLists

/// A stored value that its control rejects, so that the control shows the default.
public struct UnusableValue: Sendable, Equatable {
    /// The key under which the value is stored.
    public let key: String
    /// The reason, as the end of a sentence: `must be true or false, not 5`.
    public let objection: String
}

/// A row of a settings page that may show a stored value, before it is translated.
private struct ShownRow {
    let title: String
    var control: PropertyListDictionary?
    /// Whether the control shows a stored value.
    var isStored = false
}

extension Level {
    /// Returns the translation of a text; nil to keep the text.
    public typealias Translation = (String) -> String?

    /// Returns this level of a settings page for each translation, with stored values in place of the defaults.
    ///
    /// Keys, fields and the levels below are the same, so that paths do not depend on the language.
    ///
    /// - Parameters:
    ///   - values: the stored values, by key.
    ///   - change: an earlier result of this function for the same translations, and the keys of the values that have
    ///     changed since. Only the rows of these keys are made again.
    ///   - unusable: receives each stored value that its control rejects; for a radio group, only once.
    /// - Complexity: O(bytes) for each translation.
    public func showing(
        _ values: PropertyListDictionary, in translations: [Translation],
        changing change: (levels: [Level], keys: Set<String>)? = nil, unusable: (UnusableValue) -> Void = { _ in }
    ) -> [Level] {
        let rows = rows(ofControls: change?.keys, showing: values, unusable: unusable)
        if let change, rows.isEmpty { return change.levels }
        return translations.enumerated().map { language, translation in
            showing(rows, over: change?.levels[language] ?? self, in: translation)
        }
    }

    /// The rows of the controls with some keys, or all rows, by number.
    private func rows(
        ofControls keys: Set<String>?, showing values: PropertyListDictionary, unusable: (UnusableValue) -> Void
    ) -> [Int: ShownRow] {
        var rows: [Int: ShownRow] = [:]
        // The rows of a radio group share one rule, which is checked once.
        var group: (key: String, rows: Range<Int>, isUsable: Bool)?
        for number in 0..<rowCount {
            let key = controlKey(ofRow: number)
            if let keys, key.map(keys.contains) != true { continue }
            var row = ShownRow(title: title(number), control: ownControl(ofRow: number))
            if let key, let stored = values[key], let control = row.control {
                if let group, group.key == key, group.rows.contains(number) {
                    row.isStored = group.isUsable
                } else {
                    let objection = ControlRule(of: self.control(ofRow: number) ?? control).objection(to: stored)
                    if let objection { unusable(UnusableValue(key: key, objection: objection)) }
                    row.isStored = objection == nil
                    if control["choice"] != nil { group = (key, sectionRows(around: number), row.isStored) }
                }
                if row.isStored { row.control = control.showing(stored) }
            }
            rows[number] = row
        }
        return rows
    }

    /// Packs some rows of this level in another language, over a level with the other rows.
    private func showing(_ rows: [Int: ShownRow], over other: Level, in translation: Translation) -> Level {
        let source = bytes
        var output = ByteBuffer(capacity: other.bytes.count)
        // The keys stay, and so do their fingerprints, which follow the offsets.
        output.append(source.span.extracting(0..<packed(0..<0).lowerBound))
        for number in 0..<rowCount {
            output.replace(at: number * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
            let row = rows[number]
            if let row, append(row, number, in: translation, to: &output) { continue }
            let level = row == nil ? other : self
            let bytes = level.bytes
            output.append(bytes.span.extracting(level.packed(number..<number + 1)))
        }
        output.replace(at: rowCount * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
        let sections = allSections.map { section in
            var section = section
            section.title = section.title.map { translation($0) ?? $0 }
            section.footer = section.footer.map { translation($0) ?? $0 }
            return section
        }
        let bytes = Array(copying: output.span)
        if bytes == source, sections == allSections { return self }
        return Level(
            bytes: bytes, children: children, sections: sections, keyIndex: keyIndex, form: form,
            mayHoldTextBeyondXML: true, rowsHoldParts: rowsHoldParts, mayHoldOrders: mayHoldOrders)
    }

    /// Packs a row with its stored value, in another language. Returns false if the row is shown as it is written, or
    /// if the control exceeds 4 GiB.
    private func append(
        _ shown: ShownRow, _ number: Int, in translation: Translation, to output: inout ByteBuffer
    ) -> Bool {
        let title = shown.title.isEmpty ? nil : translation(shown.title)
        let control = shown.control?.translated(translation) ?? (shown.isStored ? shown.control : nil)
        guard title != nil || control != nil else { return false }
        let source = bytes
        let row = row(number)
        var pending = PendingRow(
            fields: row.fields, title: row.title, titleSource: row.titleSource, keySource: row.keySource,
            isString: row.isString, marks: row.flags.intersection(.marks),
            recordNumber: UInt32(row.recordNumber(in: source.span)))
        // Only the presence of a `Key` counts here; the key itself follows.
        if row.hasExplicitKey { pending.explicitKey = 0..<0 }
        var gathered = ByteBuffer()
        do throws(PropertyListError) {
            try pending.move(from: source.span, to: &gathered, titled: title, showing: control)
        } catch {
            return false
        }
        let isOwn = row.flags.contains(.hasOwnKey) || title != nil
        LevelAssembler.append(
            pending, key: isOwn ? source.span.extracting(row.key) : nil, from: gathered.span, to: &output)
        return true
    }
}

extension PendingRow {
    /// Appends the fields and the title of the row to other bytes.
    ///
    /// - Parameters:
    ///   - newTitle: another title; nil to keep the title.
    ///   - control: another control, or the first one; nil to keep the control.
    mutating func move(
        from source: Span<UInt8>, to bytes: inout ByteBuffer, titled newTitle: String? = nil,
        showing control: PropertyListDictionary?
    ) throws(PropertyListError) {
        let (start, oldFields, oldTitle) = (bytes.count, fields, title)
        let replaced = control == nil ? nil : PackedField.last(in: fields, of: source) { $0.tag == .control }
        bytes.append(source.extracting(fields.lowerBound..<(replaced?.range.lowerBound ?? fields.upperBound)))
        if let control { try bytes.append(control: control) }
        fields = start..<bytes.count
        title = oldTitle.moved(by: start - oldFields.lowerBound)
        if let newTitle {
            bytes.append(newTitle)
        } else if !oldFields.contains(oldTitle.lowerBound) || oldTitle.upperBound > oldFields.upperBound {
            bytes.append(source.extracting(oldTitle))
        } else {
            return
        }
        title = fields.upperBound..<bytes.count
    }
}
