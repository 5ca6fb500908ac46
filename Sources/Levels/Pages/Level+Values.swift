internal import Bytes
public import PropertyLists

extension Level {
    /// The level of a settings page that shows stored values in place of the defaults; O(bytes).
    ///
    /// Keys, fields and the levels below are the same.
    ///
    /// - Parameters:
    ///   - values: the stored values, by key.
    ///   - unusable: called with each value that a control cannot have, once for a radio group.
    public func showing(
        _ values: PropertyListDictionary, unusable: (UnusableValue) -> Void = { _ in }
    ) -> Level {
        guard !values.entries.isEmpty else { return self }
        var shown: [Int: [UInt8]] = [:]
        // The rows of a radio group have one rule, so that it is not looked at for each of them.
        var group: (key: String, rows: Range<Int>, value: [UInt8]?)?
        for row in 0..<rowCount {
            guard let key = controlKey(ofRow: row), let stored = values[key] else { continue }
            if let group, group.key == key, group.rows.contains(row) {
                shown[row] = group.value
                continue
            }
            guard let control = control(ofRow: row) else { continue }
            let objection = ControlCheck.objection(to: stored, for: control)
            if let objection { unusable(UnusableValue(key: key, objection: objection)) }
            shown[row] = objection == nil ? stored.packed : nil
            if control["choice"] != nil { group = (key, sectionRows(around: row), shown[row]) }
        }
        return shown.isEmpty ? self : repacked(showing: shown)
    }

    private func repacked(showing values: [Int: [UInt8]]) -> Level {
        var repacking = RowRepacking(of: self) { row, source, control in
            guard let value = values[row] else { return nil }
            return PackedControl.members(control, of: source, showing: value)
        }
        let bytes = repacking.rows()
        return Level(
            bytes: bytes, children: children, sections: allSections, keyIndex: keyIndex, form: form,
            mayHoldTextBeyondXML: true, rowsHoldParts: rowsHoldParts, rowsMayHoldOrders: mayHoldOrders)
    }
}

extension PackedControl {
    /// The members of a control with another value.
    fileprivate static func members(
        _ control: Range<Int>, of source: Span<UInt8>, showing value: [UInt8]
    ) -> [UInt8] {
        var members = ByteBuffer()
        var isPending = true
        for member in PackedField.all(in: control, of: source) {
            let name = source.extracting(member.name)
            if name.isEqual(to: "value".utf8Span.span) { continue }
            // After the type and the key, where the answer has it.
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
    /// The packed value; nil for one of more than 4 GiB.
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
