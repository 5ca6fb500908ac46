internal import Bytes
internal import PropertyLists

extension Level {
    /// The level of a settings page with the texts that it shows in another language; O(bytes).
    ///
    /// Keys, fields and the levels below are the same: a path does not depend on the language.
    ///
    /// - Parameter translation: the translation of a text; nil for one that has none.
    public func translated(_ translation: @escaping (String) -> String?) -> Level {
        var repacking = RowRepacking(of: self, newTitle: translation) { _, source, control in
            PackedControl.members(PackedDictionary(source, control), translatedBy: translation)
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
            mayHoldTextBeyondXML: true, rowsMayHoldOrders: mayHoldOrders)
    }
}

extension PackedControl {
    /// The members of a control with the translated titles of its options.
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
            // After the tag and the size of a dictionary.
            let option = PackedDictionary(control.bytes, element.lowerBound + 5..<element.upperBound)
            guard let title = option.text("title"), let value = option.packed("value") else { continue }
            options.append((translate(title) ?? title, value))
        }
        appendOptions(options, from: control.bytes, to: &output)
    }
}
