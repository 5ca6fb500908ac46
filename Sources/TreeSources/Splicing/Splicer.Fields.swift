internal import Bytes
internal import Levels
internal import PropertyLists

/// The entries of dictionaries.
extension Splicer {
    /// The edit of the place of an item's rows.
    enum PlaceEdit {
        /// The place is in the older text. The range is that of its value.
        case kept(Range<Int>)
        /// The place is new, and a writer writes its value.
        case new(Place)
    }

    /// Copies a dictionary with its changes. The entries get the new order.
    ///
    /// - Parameter editPlace: copies or writes the value of the place of an item's rows.
    func splice(
        _ dictionary: TextDictionary, old: [SplicedField], new: [SplicedField],
        editPlace: (PlaceEdit) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        if dictionary.hasEntries(named: old), dictionary.hasEntries(named: new) {
            return try spliceInPlace(dictionary, old: old, new: new, editPlace)
        }
        let oldNumbers = Dictionary(old.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        var entries: [[UInt8]: Int] = [:]
        let nulls = try nulls(of: dictionary)
        for (number, entry) in dictionary.entries.enumerated() where !nulls.contains(number) {
            entries[entry.name] = number
        }
        for field in old where entries[field.name] == nil { throw .notWhatWasRead }
        let stays = EntryOrder.staying(
            new.map { field in oldNumbers[field.name] == nil ? nil : entries[field.name] },
            pinned: new.firstIndex { field in
                field.isPlace && oldNumbers[field.name].map { old[$0].isPlace } == true
            })
        let names = Set(new.map(\.name))
        var steps: [ListStep<FieldChange>] = []
        var next = 0
        func pass(upTo end: Int) {
            for number in next..<max(next, end) {
                let name = dictionary.entries[number].name
                // A null is dropped if a new value with the same name takes its place; otherwise the null is kept.
                let isKept =
                    nulls.contains(number) ? !names.contains(name) : entries[name] != number && names.contains(name)
                steps.append(isKept ? .keep(number..<number + 1, changing: nil) : .drop(number))
            }
            next = max(next, end)
        }
        for (number, field) in new.enumerated() {
            guard let entry = stays[number], let oldNumber = oldNumbers[field.name] else {
                steps.append(.insert(FieldChange(entry: nil, old: nil, new: field)))
                continue
            }
            pass(upTo: entry)
            next = entry + 1
            let change = FieldChange(entry: dictionary.entries[entry], old: old[oldNumber], new: field)
            steps.append(.keep(entry..<entry + 1, changing: change))
        }
        pass(upTo: dictionary.entries.count)
        var list = TextList(dictionary)
        list.keyGap = try keyGap(of: dictionary)
        try splice(list, steps: steps) { (change) throws(PropertyListError) in
            try self.make(change, editPlace)
        } write: { (change, place) throws(PropertyListError) in
            try self.writeKey(change.new.name, at: place)
            try self.writeValue(change.new, at: place, editPlace)
        }
    }

    /// The entries of a JSON dictionary that are `null`. The tree does not have these entries.
    private func nulls(of dictionary: TextDictionary) throws(PropertyListError) -> Set<Int> {
        guard syntax == .json else { return [] }
        var nulls: Set<Int> = []
        for (number, entry) in dictionary.entries.enumerated() where try isNull(entry.value) { nulls.insert(number) }
        return nulls
    }

    private func isNull(_ value: Range<Int>) throws(PropertyListError) -> Bool {
        value.count == 4 && syntax == .json ? try text.document.utf8(value).elementsEqual("null".utf8) : false
    }

    /// An entry that stays, or a new entry.
    private struct FieldChange {
        let entry: TextEntry?
        let old: SplicedField?
        let new: SplicedField
    }

    /// Copies a dictionary whose entries all stay in place.
    private func spliceInPlace(
        _ dictionary: TextDictionary, old: [SplicedField], new: [SplicedField],
        _ editPlace: (PlaceEdit) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        let outer = unit
        defer { unit = outer }
        try measureUnit(of: TextList(entriesOf: dictionary))
        for (number, entry) in dictionary.entries.enumerated() {
            try make(FieldChange(entry: entry, old: old[number], new: new[number]), editPlace)
        }
    }

    /// Copies an entry that stays, with its changes.
    private func make(
        _ change: FieldChange, _ editPlace: (PlaceEdit) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        guard let entry = change.entry, let old = change.old else { return }
        // No edit makes the place of rows a value, or the reverse.
        guard old.isPlace == change.new.isPlace else { throw .contradictoryEdit }
        if old.isPlace { return try editPlace(.kept(entry.value)) }
        if try old.isSame(as: change.new) { return }
        try splice(entry.value, anchor: entry.key.lowerBound, old: old.value(), new: change.new.value())
    }

    /// Writes the key of a new entry, and the text before its value.
    func writeKey(_ name: [UInt8], at place: Place) throws(PropertyListError) {
        try write(at: place) { (writer) throws(PropertyListError) in try writer.write(key: name.span) }
        pieces.append(place.keyGap)
    }

    private func writeValue(
        _ field: SplicedField, at place: Place, _ editPlace: (PlaceEdit) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        if field.isPlace { return try editPlace(.new(place)) }
        let value = try field.value()
        try write(at: place) { (writer) throws(PropertyListError) in try value.tell(to: &writer) }
    }

    /// The text between the keys and the values of a dictionary, taken from the last entry with a short gap. Nil if all
    /// gaps are long, or if this gap contains a line break or a comment.
    func keyGap(of dictionary: TextDictionary) throws(PropertyListError) -> [UInt8]? {
        guard let entry = dictionary.entries.last(where: { $0.value.lowerBound - $0.key.upperBound < 64 }) else {
            return nil
        }
        let gap = try text.characters(entry.key.upperBound..<entry.value.lowerBound)
        if gap.contains(where: \.isLineBreak) { return nil }
        return gap.allSatisfy { $0.isBlank || syntax == .json && $0 == UInt8(ascii: ":") } ? gap : nil
    }

    // MARK: Values

    /// Replaces a value, or only those parts of the value that differ.
    func splice(
        _ range: Range<Int>, anchor: Int, old: PropertyListValue, new: PropertyListValue
    ) throws(PropertyListError) {
        if old.isWritten(like: new) { return }
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)):
            guard case .dictionary(let dictionary) = try container(at: range.lowerBound, anchor: anchor) else {
                throw .notWhatWasRead
            }
            try splice(dictionary, old: old.entries.map(SplicedField.init), new: new.entries.map(SplicedField.init)) {
                (_) throws(PropertyListError) in throw .contradictoryEdit
            }
        case (.array(let olds), .array(let news)) where olds.count == news.count:
            guard case .array(let all) = try container(at: range.lowerBound, anchor: anchor) else {
                throw .notWhatWasRead
            }
            var elements: [Range<Int>] = []
            for element in all where try !isNull(element) { elements.append(element) }
            guard elements.count == olds.count else { throw .notWhatWasRead }
            for (number, element) in elements.enumerated() {
                try splice(element, anchor: element.lowerBound, old: olds[number], new: news[number])
            }
        default: try replace(range, anchor: anchor, by: new, isScalar: !old.isContainer && !new.isContainer)
        }
    }

    /// Replaces a value.
    func replace(
        _ range: Range<Int>, anchor: Int, by new: PropertyListValue, isScalar: Bool
    ) throws(PropertyListError) {
        var indent = try text.indent(of: range.lowerBound)
        if indent == nil { indent = try text.indent(of: anchor) }
        var writer = FragmentWriter(syntax: syntax, style: try style(pieces.shifted(indent), near: anchor))
        try new.tell(to: &writer)
        try replace(range, by: Array(copying: writer.output.span), isScalar: isScalar)
    }

    /// Replaces a value. A new value without elements inherits the attributes of the old tag.
    func replace(_ range: Range<Int>, by new: [UInt8], isScalar: Bool) throws(PropertyListError) {
        pieces.copy(upTo: range.lowerBound)
        let attributes = syntax == .xml && isScalar ? try text.attributes(ofTagAt: range.lowerBound) : 0..<0
        if attributes.isEmpty {
            pieces.append(new)
        } else {
            let name = new.prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
            pieces.append(name + [UInt8(ascii: " ")] + (try text.document.utf8(attributes)) + new[name.endIndex...])
        }
        pieces.pass(upTo: range.upperBound)
    }

    func container(at place: Int, anchor: Int?) throws(PropertyListError) -> TextContainer {
        switch syntax {
        case .xml: try ItemLocation<XMLTokens>.container(at: place, anchor: anchor, in: text)
        case .json: try ItemLocation<JSONTokens>.container(at: place, anchor: anchor, in: text)
        }
    }
}

extension TextDictionary {
    /// Whether the entries have the names of some fields, in order.
    fileprivate func hasEntries(named fields: [SplicedField]) -> Bool {
        !entries.isEmpty && entries.count == fields.count && zip(entries, fields).allSatisfy { $0.name == $1.name }
    }
}
