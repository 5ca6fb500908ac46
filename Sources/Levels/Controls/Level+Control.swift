internal import Bytes
public import PropertyLists

extension Level {
    /// The members of a row's control, as the row shows them; nil if the row is not a control.
    ///
    /// A choice of a radio group on a settings page has the whole group's values as `options`, which its row does not
    /// show.
    public func control(ofRow number: Int) -> PropertyListDictionary? {
        guard var control = ownControl(ofRow: number) else { return nil }
        guard form == .specifiers, control["choice"] != nil else { return control }
        control["options"] = .array(
            sectionRows(around: number).compactMap { choice(ofRow: $0, key: control["key"]) })
        return control
    }

    private func choice(ofRow number: Int, key: PropertyListValue?) -> PropertyListValue? {
        guard let control = ownControl(ofRow: number), let choice = control["choice"], control["key"] == key else {
            return nil
        }
        return .dictionary(PropertyListDictionary([PropertyListDictionary.Entry(key: "value", value: choice)]))
    }

    /// The rows of the section that a row is in.
    func sectionRows(around row: Int) -> Range<Int> {
        let section = allSections.first { $0.start <= row && row < $0.start + $0.count }
        return section.map { $0.start..<$0.start + $0.count } ?? 0..<rowCount
    }

    private func ownControl(ofRow number: Int) -> PropertyListDictionary? {
        let bytes = bytes
        guard let members = row(number).control(in: bytes.span) else { return nil }
        var control = PropertyListDictionary()
        for member in PackedField.all(in: members, of: bytes.span) {
            do throws(PropertyListError) {
                let name = String(utf8: bytes.span.extracting(member.name))
                control[name] = try PropertyListValue(packed: bytes.span, at: member.value)
            } catch {
                // Only a damaged tree throws.
                return nil
            }
        }
        return control
    }

    /// The key under which the value of a row's control is stored; nil if the row is not a control, or has none.
    func controlKey(ofRow number: Int) -> String? {
        let bytes = bytes
        guard let members = row(number).control(in: bytes.span) else { return nil }
        return PackedDictionary(bytes.span, members).text("key")
    }
}
