internal import Bytes
public import PropertyLists

/// Repacks the rows of a level with other titles or controls; keys and other fields stay.
struct RowRepacking: ~Copyable {
    /// Returns the new members of a row's control; nil to keep the old members.
    typealias ControlMembers = (_ row: Int, _ bytes: Span<UInt8>, _ control: Range<Int>) -> [UInt8]?

    private let level: Level
    private let newTitle: (String) -> String?
    private let newMembers: ControlMembers
    private let repacked: RepackedRows?
    private var output = ByteBuffer()

    /// - Parameters:
    ///   - newTitle: returns the new title for a nonempty title; nil to keep the old title.
    ///   - newMembers: returns the new members of a row's control.
    ///   - repacked: the rows to repack; nil for all rows.
    init(
        of level: Level, only repacked: RepackedRows? = nil, newTitle: @escaping (String) -> String? = { _ in nil },
        newMembers: @escaping ControlMembers
    ) {
        self.level = level
        self.repacked = repacked
        self.newTitle = newTitle
        self.newMembers = newMembers
    }

    mutating func rows() -> [UInt8] {
        let source = level.bytes
        for _ in 0...level.rowCount { output.append(halfWord: 0) }
        // The keys stay, and so do their fingerprints.
        let table = (level.rowCount + 1) * 4
        output.append(source.span.extracting(table..<level.packed(0..<0).lowerBound))
        for number in 0..<level.rowCount {
            output.replace(at: number * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
            if let repacked, !repacked.rows.contains(number) {
                let bytes = repacked.others.bytes
                output.append(bytes.span.extracting(repacked.others.packed(number..<number + 1)))
            } else {
                append(number, of: source.span)
            }
        }
        output.replace(at: level.rowCount * 4, halfWord: UInt32(truncatingIfNeeded: output.count))
        return Array(copying: output.span)
    }

    private mutating func append(_ number: Int, of source: Span<UInt8>) {
        let row = level.row(number)
        let title = level.title(number)
        let replaced = title.isEmpty ? nil : newTitle(title)
        var gathered = ByteBuffer()
        let kept = appendFields(of: number, row, of: source, to: &gathered)
        let end = gathered.count
        gathered.append(replaced ?? title)
        var pending = PendingRow(
            fields: 0..<end, title: end..<gathered.count, isString: row.isString, marks: row.flags.intersection(.marks),
            recordNumber: UInt32(row.recordNumber(in: source)))
        if replaced == nil, let kept { pending.title = kept }
        // Only the presence of a `Key` counts here; the key itself follows.
        if row.flags.contains(.hasExplicitKey) { pending.explicitKey = 0..<0 }
        let isOwn = row.flags.contains(.hasOwnKey) || replaced != nil
        LevelAssembler.append(
            pending, key: isOwn ? Array(copying: source.extracting(row.key)) : nil, from: gathered.span, to: &output)
    }

    /// Copies the fields, and replaces the members of the control. Returns the range of the title in the copy; nil if
    /// the title is not in a field.
    private func appendFields(
        of number: Int, _ row: Row, of source: Span<UInt8>, to output: inout ByteBuffer
    ) -> Range<Int>? {
        let members = row.control(in: source).flatMap { newMembers(number, source, $0) }
        var title: Range<Int>?
        for field in PackedField.all(in: row.fields, of: source) {
            if field.holdsTitle(of: row) { title = row.title.moved(by: output.count - field.range.lowerBound) }
            if let members, field.tag == .control {
                PackedControl.append(members.span, to: &output)
            } else {
                output.append(source.extracting(field.range))
            }
        }
        return title
    }
}

/// Some rows of a level that are repacked, and the level in which the other rows are already packed.
public typealias RepackedRows = (rows: Set<Int>, others: Level)

extension Level {
    /// The rows whose controls have one of these keys.
    public func rows(ofControls keys: Set<String>) -> Set<Int> {
        Set((0..<rowCount).filter { row in controlKey(ofRow: row).map(keys.contains) ?? false })
    }

    /// A settings page's level with stored values in place of the defaults; O(bytes).
    ///
    /// Keys, fields and the levels below are the same.
    ///
    /// - Parameters:
    ///   - values: the stored values, by key.
    ///   - repacked: the rows whose values may differ from those in another result of this function; nil for all rows.
    ///   - unusable: receives each stored value that its control rejects; for a radio group, only once.
    public func showing(
        _ values: PropertyListDictionary, only repacked: RepackedRows? = nil,
        unusable: (UnusableValue) -> Void = { _ in }
    ) -> Level {
        guard !values.entries.isEmpty else { return self }
        var shown: [Int: [UInt8]] = [:]
        // The rows of a radio group share one rule, which is checked once.
        var group: (key: String, rows: Range<Int>, value: [UInt8]?)?
        for row in 0..<rowCount where repacked?.rows.contains(row) ?? true {
            guard let key = controlKey(ofRow: row), let stored = values[key] else { continue }
            if let group, group.key == key, group.rows.contains(row) {
                shown[row] = group.value
                continue
            }
            guard let control = control(ofRow: row) else { continue }
            let objection = ControlRule(of: control).objection(to: stored)
            if let objection { unusable(UnusableValue(key: key, objection: objection)) }
            shown[row] = objection == nil ? stored.packed : nil
            if control["choice"] != nil { group = (key, sectionRows(around: row), shown[row]) }
        }
        return shown.isEmpty && repacked == nil ? self : packed(showing: shown, only: repacked)
    }

    private func packed(showing values: [Int: [UInt8]], only repacked: RepackedRows?) -> Level {
        var repacking = RowRepacking(of: self, only: repacked) { row, source, control in
            guard let value = values[row] else { return nil }
            return PackedControl.members(control, of: source, showing: value)
        }
        let bytes = repacking.rows()
        return Level(
            bytes: bytes, children: children, sections: allSections, keyIndex: keyIndex, form: form,
            mayHoldTextBeyondXML: true, rowsHoldParts: rowsHoldParts, mayHoldOrders: mayHoldOrders)
    }
}

extension PackedControl {
    fileprivate static func members(
        _ control: Range<Int>, of source: Span<UInt8>, showing value: [UInt8]
    ) -> [UInt8] {
        var members = ByteBuffer()
        var isPending = true
        for member in PackedField.all(in: control, of: source) {
            let name = source.extracting(member.name)
            if name.isEqual(to: "value".utf8Span.span) { continue }
            // The value follows the type and the key, as in the answer.
            if isPending, !name.isEqual(to: "type".utf8Span.span), !name.isEqual(to: "key".utf8Span.span) {
                append(value, to: &members)
                isPending = false
            }
            members.append(source.extracting(member.range))
        }
        if isPending { append(value, to: &members) }
        return Array(copying: members.span)
    }

    private static func append(_ value: [UInt8], to members: inout ByteBuffer) {
        members.append(run: "value".utf8Span.span)
        members.append(value.span)
    }
}

extension PropertyListValue {
    /// The packed value; nil if it exceeds 4 GiB.
    fileprivate var packed: [UInt8]? {
        var writer = PackedValueWriter()
        do throws(PropertyListError) {
            try tell(to: &writer)
        } catch {
            return nil
        }
        return Array(copying: writer.output.span)
    }
}

/// A stored value that its control rejects, so that the control shows the default.
public struct UnusableValue: Sendable, Equatable {
    /// The key under which the value is stored.
    public let key: String
    /// The reason, as the end of a sentence: `must be true or false, not 5`.
    public let objection: String
}

extension Level {
    /// A settings page's level with its texts in another language; O(bytes).
    ///
    /// Keys, fields and the levels below are the same, so that paths do not depend on the language.
    ///
    /// - Parameters:
    ///   - repacked: the rows that may differ from those of another page that was translated alike; nil for all rows.
    ///   - translation: returns the translation of a text; nil to keep the text.
    public func translated(
        only repacked: RepackedRows? = nil, _ translation: @escaping (String) -> String?
    ) -> Level {
        var repacking = RowRepacking(of: self, only: repacked, newTitle: translation) { _, source, control in
            PackedControl.members(PackedDictionary(bytes: source, fields: control), translatedBy: translation)
        }
        let bytes = repacking.rows()
        let sections = allSections.map { section in
            var section = section
            section.title = section.title.map { translation($0) ?? $0 }
            section.footer = section.footer.map { translation($0) ?? $0 }
            return section
        }
        if bytes == self.bytes, sections == allSections { return self }
        return Level(
            bytes: bytes, children: children, sections: sections, keyIndex: keyIndex, form: form,
            mayHoldTextBeyondXML: true, mayHoldOrders: mayHoldOrders)
    }
}

extension PackedControl {
    fileprivate static func members(
        _ control: borrowing PackedDictionary, translatedBy translate: (String) -> String?
    ) -> [UInt8] {
        let source = control.bytes
        var members = ByteBuffer()
        for member in PackedField.all(in: control.fields, of: source) {
            let isOptions = source.extracting(member.name).isEqual(to: "options".utf8Span.span)
            if isOptions, member.tag == .array {
                appendOptions(control, translatedBy: translate, to: &members)
            } else {
                members.append(source.extracting(member.range))
            }
        }
        return Array(copying: members.span)
    }

    private static func appendOptions(
        _ control: borrowing PackedDictionary, translatedBy translate: (String) -> String?, to output: inout ByteBuffer
    ) {
        var options: [(title: String, value: Range<Int>)] = []
        for element in control.elements("options") {
            // The fields of a dictionary follow its tag and its size.
            let option = PackedDictionary(bytes: control.bytes, fields: element.lowerBound + 5..<element.upperBound)
            guard let title = option.text("title"), let value = option.packed("value") else { continue }
            options.append((translate(title) ?? title, value))
        }
        appendOptions(options, from: control.bytes, to: &output)
    }
}
