internal import Bytes

extension Section {
    /// The number of rows in hidden sections.
    static func hiddenRows(in sections: [Section]) -> Int {
        sections.reduce(0) { $0 + ($1.isHidden ? $1.count : 0) }
    }

    /// Adds a place for rows to a section's dictionary if it has none.
    fileprivate mutating func addPlaceForRows(named name: String) {
        guard !fields.isEmpty, !PackedField.all(in: 0..<fields.count, of: fields.span).contains(where: \.isHole) else {
            return
        }
        var buffer = ByteBuffer(capacity: 16)
        buffer.appendPlace(named: name, form: .rows)
        fields += Array(copying: buffer.span)
    }
}

extension [Section] {
    /// The sections with other numbers of rows, as the builder leaves them.
    ///
    /// A level whose listed sections are all empty shows no sections.
    ///
    /// - Parameters:
    ///   - listed: how many of the sections `SectionKeys` names.
    ///   - name: the name of the rows in a section that had none so far.
    func holding(_ counts: [Int], listed: Int, rowsName name: String) -> [Section] {
        let isEmpty = !counts.prefix(listed).contains { $0 > 0 }
        var start = 0
        return indices.map { number in
            var section = self[number]
            section.start = start
            section.count = counts[number]
            section.isHidden = isEmpty || number >= listed
            if section.count > 0 { section.addPlaceForRows(named: name) }
            start += section.count
            return section
        }
    }
}
