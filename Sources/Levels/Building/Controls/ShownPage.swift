internal import Bytes
public import PropertyLists

/// A stored value that its control rejects, so that the control shows the default.
public struct UnusableValue: Sendable, Equatable {
    /// The key under which the value is stored.
    public let key: String
    /// The reason, as the end of a sentence: `must be true or false, not 5`.
    public let objection: String
}

/// A row of a settings page with a stored value or a translation.
private struct ShownRow {
    /// The title in place of the row's own; nil to keep the own title.
    let title: String?
    /// The control in place of the row's own; nil to keep the own control.
    let control: PropertyListDictionary?
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
        let numbers = (0..<rowCount).filter { row in
            guard let change else { return true }
            return controlKey(ofRow: row).map(change.keys.contains) ?? false
        }
        if let change, numbers.isEmpty { return change.levels }
        let stored = controls(ofRows: numbers, showing: values, unusable: unusable)
        let rows = numbers.map { ($0, title($0), stored[$0] ?? ownControl(ofRow: $0)) }
        return translations.enumerated().map { language, translation in
            var shown: [Int: ShownRow] = [:]
            for (number, title, control) in rows {
                let row = ShownRow(
                    title: title.isEmpty ? nil : translation(title),
                    control: control?.translated(translation) ?? stored[number])
                if change != nil || row.title != nil || row.control != nil { shown[number] = row }
            }
            return showing(shown, over: change?.levels[language] ?? self, sections: translation)
        }
    }

    /// The controls of the rows that show a stored value.
    private func controls(
        ofRows rows: [Int], showing values: PropertyListDictionary, unusable: (UnusableValue) -> Void
    ) -> [Int: PropertyListDictionary] {
        var shown: [Int: PropertyListDictionary] = [:]
        guard !values.entries.isEmpty else { return shown }
        // The rows of a radio group share one rule, which is checked once.
        var group: (key: String, rows: Range<Int>, isUsable: Bool)?
        for row in rows {
            guard let key = controlKey(ofRow: row), let stored = values[key] else { continue }
            let isUsable: Bool
            if let group, group.key == key, group.rows.contains(row) {
                isUsable = group.isUsable
            } else {
                guard let control = control(ofRow: row) else { continue }
                let objection = ControlRule(of: control).objection(to: stored)
                if let objection { unusable(UnusableValue(key: key, objection: objection)) }
                isUsable = objection == nil
                if control["choice"] != nil { group = (key, sectionRows(around: row), isUsable) }
            }
            if isUsable { shown[row] = ownControl(ofRow: row)?.showing(stored) }
        }
        return shown
    }

    /// Returns a level of the same rows and keys, with other titles and controls.
    ///
    /// - Parameters:
    ///   - shown: the rows that are made from this level, by number.
    ///   - other: the level with the other rows.
    ///   - translation: returns the translation of a section's title or footer.
    private func showing(_ shown: [Int: ShownRow], over other: Level, sections translation: Translation) -> Level {
        let (source, rest) = (bytes, other.bytes)
        var output = ByteBuffer(capacity: rest.count)
        // The keys stay, and so do the fingerprints after the offsets.
        output.append(source.span.extracting(0..<packed(0..<0).lowerBound))
        for number in 0..<rowCount {
            output.replace(at: number * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
            if let row = shown[number], append(row, number, to: &output) { continue }
            let packed = (shown[number] == nil ? other : self).packed(number..<number + 1)
            output.append((shown[number] == nil ? rest : source).span.extracting(packed))
        }
        output.replace(at: rowCount * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
        let sections = allSections.map { section in
            var section = section
            section.title = section.title.map { translation($0) ?? $0 }
            section.footer = section.footer.map { translation($0) ?? $0 }
            return section
        }
        let bytes = Array(copying: output.span)
        if bytes == self.bytes, sections == allSections { return self }
        return Level(
            bytes: bytes, children: children, sections: sections, keyIndex: keyIndex, form: form,
            mayHoldTextBeyondXML: true, rowsHoldParts: rowsHoldParts, mayHoldOrders: mayHoldOrders)
    }

    /// Packs a row with another title or control. Returns false if the row keeps both, or the control exceeds 4 GiB.
    private func append(_ shown: ShownRow, _ number: Int, to output: inout ByteBuffer) -> Bool {
        guard shown.title != nil || shown.control != nil else { return false }
        let source = bytes
        let row = row(number)
        var gathered = ByteBuffer()
        if let control = shown.control {
            let own = PackedField.last(in: row.fields, of: source.span) { $0.tag == .control }
            let end = own?.range.lowerBound ?? row.fields.upperBound
            gathered.append(source.span.extracting(row.fields.lowerBound..<end))
            do throws(PropertyListError) { try gathered.append(control: control) } catch { return false }
        } else {
            gathered.append(source.span.extracting(row.fields))
        }
        var pending = PendingRow(
            fields: 0..<gathered.count, title: row.title.moved(by: -row.fields.lowerBound), isString: row.isString,
            marks: row.flags.intersection(.marks), recordNumber: UInt32(row.recordNumber(in: source.span)))
        if shown.title != nil || row.flags.contains(.hasOwnTitle) {
            gathered.append(shown.title ?? title(number))
            pending.title = pending.fields.upperBound..<gathered.count
        }
        // Only the presence of a `Key` counts here; the key itself follows.
        if row.hasExplicitKey { pending.explicitKey = 0..<0 }
        let isOwn = row.flags.contains(.hasOwnKey) || shown.title != nil
        LevelAssembler.append(
            pending, key: isOwn ? Array(source[row.key]) : nil, from: gathered.span, to: &output)
        return true
    }
}
