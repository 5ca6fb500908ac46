internal import Bytes
internal import Levels
internal import PropertyLists

/// The entries of dictionaries.
extension Splicer {
    /// What happens to the place of an item's rows.
    enum PlaceEdit {
        /// It is in the older text, its value at a range.
        case kept(Range<Int>)
        /// It is new; the value is written by a writer.
        case new(Place)
    }

    /// Copies a dictionary with its changes, so that its entries are in the new order.
    ///
    /// - Parameter editPlace: copies or writes the value of the place for an item's rows.
    func splice(
        _ dictionary: TextDictionary, _ old: [SplicedField], _ new: [SplicedField],
        editPlace: @escaping (PlaceEdit) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        if dictionary.hasEntries(named: old), dictionary.hasEntries(named: new) {
            return try spliceInPlace(dictionary, old, new, editPlace)
        }
        let oldNumbers = Dictionary(old.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        var entries: [[UInt8]: Int] = [:]
        for (number, entry) in dictionary.entries.enumerated() { entries[entry.name] = number }
        for field in old where entries[field.name] == nil { throw .notWhatWasRead }
        let stays = EntryOrder.staying(
            new.map { field in oldNumbers[field.name] == nil ? nil : entries[field.name] },
            pinned: new.firstIndex { field in
                field.isPlace && oldNumbers[field.name].map { old[$0].isPlace } == true
            })
        let names = Set(new.map(\.name))
        var steps: [ListStep] = []
        var next = 0
        func pass(upTo end: Int) {
            for number in next..<max(next, end) {
                let name = dictionary.entries[number].name
                let isRepeated = entries[name] != number && names.contains(name)
                steps.append(isRepeated ? .keep(first: number, last: number, edit: nil) : .drop(number))
            }
            next = max(next, end)
        }
        for (number, field) in new.enumerated() {
            guard let entry = stays[number], let oldNumber = oldNumbers[field.name] else {
                steps.append(
                    .insert { (place) throws(PropertyListError) in
                        try self.write(field, at: place, editPlace)
                    })
                continue
            }
            pass(upTo: entry)
            next = entry + 1
            let edit = try self.edit(dictionary.entries[entry], old[oldNumber], field, editPlace)
            steps.append(.keep(first: entry, last: entry, edit: edit))
        }
        pass(upTo: dictionary.entries.count)
        var list = TextList(dictionary)
        list.keyGap = try keyGap(of: dictionary)
        try splice(list, steps)
    }

    /// Copies a dictionary whose entries stay where they are.
    private func spliceInPlace(
        _ dictionary: TextDictionary, _ old: [SplicedField], _ new: [SplicedField],
        _ editPlace: @escaping (PlaceEdit) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        let outer = unit
        defer { unit = outer }
        try measureUnit(of: TextList(entriesOf: dictionary))
        for (number, entry) in dictionary.entries.enumerated() {
            try edit(entry, old[number], new[number], editPlace)?()
        }
    }

    private func edit(
        _ entry: TextEntry, _ old: SplicedField, _ new: SplicedField,
        _ editPlace: @escaping (PlaceEdit) throws(PropertyListError) -> Void
    ) throws(PropertyListError) -> ListEdit? {
        if old.isPlace, new.isPlace {
            return { () throws(PropertyListError) in try editPlace(.kept(entry.value)) }
        }
        if !old.isPlace, !new.isPlace {
            if try old.isSame(as: new) { return nil }
            let (oldValue, newValue) = (try old.value(), try new.value())
            return { () throws(PropertyListError) in
                try self.splice(entry.value, anchor: entry.key.lowerBound, oldValue, newValue)
            }
        }
        return { () throws(PropertyListError) in
            self.pieces.copy(upTo: entry.value.lowerBound)
            try self.writeValue(new, at: self.place(of: entry.key.lowerBound), editPlace)
            self.pieces.pass(upTo: entry.value.upperBound)
        }
    }

    private func write(
        _ field: SplicedField, at place: Place, _ editPlace: (PlaceEdit) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        var writer = FragmentWriter(syntax, place.style)
        try writer.write(key: field.name.span)
        flush(&writer)
        pieces.append(place.keyGap)
        try writeValue(field, at: place, editPlace)
    }

    private func writeValue(
        _ field: SplicedField, at place: Place, _ editPlace: (PlaceEdit) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        if field.isPlace { return try editPlace(.new(place)) }
        var writer = FragmentWriter(syntax, place.style)
        try field.value().tell(to: &writer)
        flush(&writer)
    }

    /// What is between keys and values of a dictionary; in XML, a line feed stands for the line's beginning.
    func keyGap(of dictionary: TextDictionary) throws(PropertyListError) -> [UInt8]? {
        guard let entry = dictionary.entries.last(where: { $0.value.lowerBound - $0.key.upperBound < 64 }) else {
            return nil
        }
        let gap = try text.characters(entry.key.upperBound..<entry.value.lowerBound)
        if gap.contains(where: \.isLineBreak) { return nil }
        return gap.allSatisfy { $0.isBlank || syntax == .json && $0 == UInt8(ascii: ":") } ? gap : nil
    }

    // MARK: Values

    /// Replaces a value, or only what differs in it.
    func splice(
        _ range: Range<Int>, anchor: Int, _ old: PropertyListValue, _ new: PropertyListValue
    ) throws(PropertyListError) {
        if old.isWritten(like: new) { return }
        switch (old, new) {
        case (.dictionary(let old), .dictionary(let new)):
            guard case .dictionary(let dictionary) = try container(at: range.lowerBound, anchor: anchor) else {
                throw .notWhatWasRead
            }
            try splice(dictionary, old.entries.map(SplicedField.init), new.entries.map(SplicedField.init)) {
                (_) throws(PropertyListError) in throw .contradictoryEdit
            }
        case (.array(let olds), .array(let news)) where olds.count == news.count:
            guard case .array(let elements) = try container(at: range.lowerBound, anchor: anchor),
                elements.count == olds.count
            else { throw .notWhatWasRead }
            for (number, element) in elements.enumerated() {
                try splice(element, anchor: element.lowerBound, olds[number], news[number])
            }
        default:
            var indent = try text.indent(of: range.lowerBound)
            if indent == nil { indent = try text.indent(of: anchor) }
            var writer = FragmentWriter(syntax, try style(pieces.shifted(indent), near: anchor))
            try new.tell(to: &writer)
            try replace(range, by: Array(copying: writer.output.span), isScalar: !old.isContainer && !new.isContainer)
        }
    }

    /// Writes a value in place of another; a value without elements takes the attributes of the old one's tag over.
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
    /// Whether its entries have the names of some fields, in their order.
    fileprivate func hasEntries(named fields: [SplicedField]) -> Bool {
        !entries.isEmpty && entries.count == fields.count && zip(entries, fields).allSatisfy { $0.name == $1.name }
    }
}
