internal import Bytes
internal import Levels
internal import PropertyLists

/// Finds the touched items of a document in the document's text, in one pass.
struct ItemLocation<Tokens: DocumentTokens & ~Copyable>: ~Copyable {
    private var tokens: Tokens
    private let text: DocumentText
    private let names: KeyText

    private init(text: DocumentText, names: KeyText) throws(PropertyListError) {
        tokens = try Tokens(text)
        self.text = text
        self.names = names
    }

    /// Finds the root and the touched items below it.
    ///
    /// - Throws: `PropertyListError` if the text does not match the tree.
    static func locate(
        _ root: TouchedItem, of step: Item.Step, in text: SplicedText
    ) throws(PropertyListError) {
        var location = try ItemLocation(text: text.document, names: KeyText(text.syntax))
        let token = try location.tokens.required()
        try location.locate(root, step: step, token: token, anchor: token.range.lowerBound)
        guard try location.tokens.next() == nil else { throw .notWhatWasRead }
    }

    /// Finds the entries of the dictionary, or the elements of the array, that begins at a place.
    static func container(
        at place: Int, anchor: Int?, in text: SplicedText
    ) throws(PropertyListError) -> TextContainer {
        var location = try ItemLocation(text: text.document, names: KeyText(text.syntax))
        location.tokens.seek(place)
        let token = try location.tokens.required()
        switch token.kind {
        case .dictionary: return .dictionary(try location.dictionary(token, anchor: anchor ?? token.range.lowerBound))
        case .array: return .array(try location.elements(token))
        case .key, .scalar, .end: throw .notWhatWasRead
        }
    }

    /// Finds a value.
    ///
    /// - Parameter path: the entries and elements that lead from the document to the value; null elements do not count.
    /// - Returns: the value, and the beginning of its key, if it has one.
    static func value(
        at path: NaturalPlace, in text: SplicedText
    ) throws(PropertyListError) -> (range: Range<Int>, anchor: Int) {
        var location = try ItemLocation(text: text.document, names: KeyText(text.syntax))
        let first = try location.tokens.required()
        var (range, anchor) = (try location.tokens.finish(first), first.range.lowerBound)
        for step in path.steps {
            location.tokens.seek(range.lowerBound)
            let token = try location.tokens.required()
            switch (step, token.kind) {
            case (.name(let name), .dictionary):
                let dictionary = try location.dictionary(token, anchor: anchor)
                guard let entry = dictionary.entries.last(where: { $0.name == name }) else { throw .notWhatWasRead }
                (range, anchor) = (entry.value, entry.key.lowerBound)
            case (.element(let number), .array):
                range = try location.element(number)
                anchor = range.lowerBound
            default: throw .notWhatWasRead
            }
        }
        return (range, anchor)
    }

    /// The place of an element of the array whose opening was read last.
    private mutating func element(_ number: Int) throws(PropertyListError) -> Range<Int> {
        var number = number
        while true {
            let element = try tokens.required()
            guard element.kind != .end else { throw .notWhatWasRead }
            let range = try tokens.finish(element)
            if try isNull(range) { continue }
            if number == 0 { return range }
            number -= 1
        }
    }

    private func isNull(_ range: Range<Int>) throws(PropertyListError) -> Bool {
        guard range.count == 4 else { return false }
        return try text.utf8(range).elementsEqual("null".utf8)
    }

    /// Finds the elements of the array that begins at a place.
    ///
    /// - Parameter elements: the elements whose places are needed; null elements do not count.
    /// - Returns: the list of all elements, and the numbers in it of the needed elements; the number of an element after
    ///   the last is the count of the list.
    static func list(
        at place: Int, anchor: Int, needing elements: [Int], in text: SplicedText
    ) throws(PropertyListError) -> (list: TextList, numbers: [Int]) {
        var location = try ItemLocation(text: text.document, names: KeyText(text.syntax))
        location.tokens.seek(place)
        let token = try location.tokens.required()
        guard token.kind == .array else { throw .notWhatWasRead }
        var list = TextList(opening: token.range, anchor: anchor, numbers: 0..<0)
        var numbers = elements.map { _ in -1 }
        var needed: Set<Int> = []
        var (count, known) = (0, 0)
        while true {
            let element = try location.tokens.required()
            if count > 0 { list.slots[count - 1]?.comma = location.tokens.comma }
            if element.kind == .end {
                list.closing = element.range
                break
            }
            if list.firstStart == nil { list.firstStart = element.range.lowerBound }
            // The first two and the last two elements show the layout of the list.
            if count > 3, !needed.contains(count - 2) { list.slots[count - 2] = nil }
            let range = try location.tokens.finish(element)
            list.slots[count] = TextSlot(range: range)
            if try !location.isNull(range) {
                for (index, wanted) in elements.enumerated() where wanted == known {
                    numbers[index] = count
                    needed.formUnion([count - 1, count, count + 1])
                }
                known += 1
            }
            count += 1
        }
        list.numbers = 0..<count
        for (index, wanted) in elements.enumerated() where numbers[index] < 0 {
            guard wanted == known else { throw .notWhatWasRead }
            numbers[index] = count
        }
        return (list, numbers)
    }

    private mutating func dictionary(
        _ token: DocumentToken, anchor: Int
    ) throws(PropertyListError) -> TextDictionary {
        var dictionary = TextDictionary(opening: token.range, anchor: anchor)
        while let entry = try entry(of: &dictionary) { dictionary.add(entry, value: try tokens.finish(entry.value)) }
        return dictionary
    }

    private mutating func elements(_ token: DocumentToken) throws(PropertyListError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        while true {
            let element = try tokens.required()
            if element.kind == .end { return ranges }
            ranges.append(try tokens.finish(element))
        }
    }

    /// Returns the next key of a dictionary and the beginning of its value. Returns nil at the dictionary's end.
    private mutating func entry(
        of dictionary: inout TextDictionary
    ) throws(PropertyListError) -> TextDictionary.OpenEntry? {
        let key = try tokens.required()
        dictionary.noteComma(tokens.comma)
        if key.kind == .end {
            dictionary.closing = key.range
            return nil
        }
        guard key.kind == .key || key.kind == .scalar else { throw .notWhatWasRead }
        return TextDictionary.OpenEntry(
            name: try names.name(key.range, in: text), key: key.range, value: try tokens.required())
    }

    // MARK: Items

    /// Finds an item whose text begins with a token, and the touched items below it.
    private mutating func locate(
        _ item: TouchedItem, step: Item.Step, token: DocumentToken, anchor: Int
    ) throws(PropertyListError) {
        item.begin(step)
        switch (token.kind, step.writtenKind) {
        case (.dictionary, .dictionary): try fields(of: item, step: step, token: token, anchor: anchor)
        case (.array, .array):
            let end = try structure(of: item, step: step, token: token, anchor: anchor)
            item.range = token.range.lowerBound..<end
        case (.scalar, .string): item.range = token.range
        default: _ = try tokens.finish(token)
        }
    }

    private mutating func fields(
        of item: TouchedItem, step: Item.Step, token: DocumentToken, anchor: Int
    ) throws(PropertyListError) {
        var dictionary = TextDictionary(opening: token.range, anchor: anchor)
        let place = step.place
        while let entry = try entry(of: &dictionary) {
            // A scalar under the name of the rows can only be JSON's null.
            guard entry.name == place?.name, entry.value.kind != .scalar else {
                dictionary.add(entry, value: try tokens.finish(entry.value))
                continue
            }
            let end = try structure(of: item, step: step, token: entry.value, anchor: entry.key.lowerBound)
            dictionary.add(entry, value: entry.value.range.lowerBound..<end)
        }
        item.dictionary = dictionary
        item.range = token.range.lowerBound..<dictionary.closing.upperBound
    }

    // MARK: Rows

    /// Finds the rows of an item. Their array, or a dictionary of their arrays, begins with the token. Returns the end
    /// of this container.
    private mutating func structure(
        of item: TouchedItem, step: Item.Step, token: DocumentToken, anchor: Int
    ) throws(PropertyListError) -> Int {
        item.forgetRows()
        switch (step.writtenForm, token.kind) {
        case (.rows, .array):
            return try rows(
                step.writtenSections.first?.rows ?? 0..<0, of: item, step: step, section: 0, token: token,
                anchor: anchor)
        case (.arraysOfRows, .array), (.sections, .array):
            let sections = step.writtenSections
            var number = 0
            while true {
                let section = try tokens.required()
                if section.kind == .end { return section.range.upperBound }
                _ = try self.section(
                    number, sections: sections, of: item, step: step, token: section, anchor: section.range.lowerBound)
                number += 1
            }
        case (.namedSections, .dictionary):
            var dictionary = TextDictionary(opening: token.range, anchor: anchor)
            let sections = step.writtenSections
            let numbers = Dictionary(sections.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
            while let entry = try entry(of: &dictionary) {
                let number = numbers[entry.name] ?? sections.count
                _ = try section(
                    number, sections: sections, of: item, step: step, token: entry.value, anchor: entry.key.lowerBound)
            }
            return dictionary.closing.upperBound
        default: return try tokens.finish(token).upperBound
        }
    }

    /// Finds the rows of a section, which is an array, or a dictionary with an array. Returns the end of the section.
    private mutating func section(
        _ number: Int, sections: [WrittenSection], of item: TouchedItem, step: Item.Step,
        token: DocumentToken, anchor: Int
    ) throws(PropertyListError) -> Int {
        guard number < sections.count, item.needs(number, rows: sections[number].rows) else {
            return try tokens.finish(token).upperBound
        }
        guard token.kind == .dictionary else {
            return try rows(sections[number].rows, of: item, step: step, section: number, token: token, anchor: anchor)
        }
        let place = sections[number].fields?.last { $0.form != nil }
        var dictionary = TextDictionary(opening: token.range, anchor: anchor)
        while let entry = try entry(of: &dictionary) {
            guard entry.name == place?.name else {
                dictionary.add(entry, value: try tokens.finish(entry.value))
                continue
            }
            let end = try rows(
                sections[number].rows, of: item, step: step, section: number, token: entry.value,
                anchor: entry.key.lowerBound)
            dictionary.add(entry, value: entry.value.range.lowerBound..<end)
        }
        if place == nil { item.sections[number] = dictionary }
        return dictionary.closing.upperBound
    }

    /// Finds the needed rows of an array. Returns the end of the array.
    private mutating func rows(
        _ expected: Range<Int>, of item: TouchedItem, step: Item.Step, section: Int, token: DocumentToken,
        anchor: Int
    ) throws(PropertyListError) -> Int {
        guard token.kind == .array else { return try tokens.finish(token).upperBound }
        var list = TextList(opening: token.range, anchor: anchor, numbers: expected)
        var needed = item.needed(expected)
        var number = expected.lowerBound
        var last: Int?
        while true {
            let row = try tokens.required()
            if let last { list.slots[last]?.comma = tokens.comma }
            last = nil
            if row.kind == .end {
                list.closing = row.range
                break
            }
            if list.firstStart == nil { list.firstStart = row.range.lowerBound }
            if number == needed.first {
                needed.removeFirst()
                last = number
                list.slots[number] = TextSlot(range: try self.row(number, of: item, step: step, token: row))
            } else {
                _ = try tokens.finish(row)
            }
            number += 1
        }
        item.arrays[section] = number == expected.upperBound ? list : nil
        return list.closing.upperBound
    }

    private mutating func row(
        _ number: Int, of item: TouchedItem, step: Item.Step, token: DocumentToken
    ) throws(PropertyListError) -> Range<Int> {
        guard let child = item.below[number], let level = step.below else { return try tokens.finish(token) }
        try locate(child, step: Item.Step(level: level, row: number), token: token, anchor: token.range.lowerBound)
        return child.range
    }
}

/// Reads the keys of a document in the same way as the readers.
struct KeyText {
    private let syntax: FragmentWriter.Syntax

    init(_ syntax: FragmentWriter.Syntax) { self.syntax = syntax }

    /// Returns the name in the text of a key. The text includes the tags or quotes.
    func name(_ key: Range<Int>, in text: DocumentText) throws(PropertyListError) -> [UInt8] {
        let bytes = try text.utf8(key)
        if let plain = plainName(bytes) { return plain }
        var name = KeyCollector()
        let limits = PropertyListLimits()
        switch syntax {
        case .xml:
            let input = DocumentInput.memory(Array("<dict>".utf8) + bytes + Array("<true/></dict>".utf8))
            try XMLPropertyListReader.read(input, limits: limits, into: &name)
        case .json:
            let input = DocumentInput.memory(Array("{".utf8) + bytes + Array(":1}".utf8))
            try JSONPropertyListReader.read(input, limits: limits, into: &name)
        }
        return name.name
    }

    /// Returns the name in a key that lacks entities, escapes and markup. Returns nil for other keys.
    private func plainName(_ key: [UInt8]) -> [UInt8]? {
        switch syntax {
        case .json:
            guard key.count >= 2, key.first == UInt8(ascii: "\""), key.last == UInt8(ascii: "\"") else { return nil }
            let name = key[1..<key.count - 1]
            return name.contains(UInt8(ascii: "\\")) ? nil : Array(name)
        case .xml:
            guard key.starts(with: Self.start), key.count >= Self.start.count + Self.end.count else { return nil }
            let name = key[Self.start.count..<key.count - Self.end.count]
            let isPlain = !name.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") || $0 == 13 }
            return isPlain && key.suffix(Self.end.count).elementsEqual(Self.end) ? Array(name) : nil
        }
    }

    private static let start = Array("<key>".utf8)
    private static let end = Array("</key>".utf8)
}

/// Collects the only key of a document.
private struct KeyCollector: PropertyListConsumer {
    private(set) var name: [UInt8] = []

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) { self.name = Array(copying: name) }
    mutating func beginDictionary(at position: SourcePosition) {}
    mutating func endDictionary() {}
    mutating func beginArray(at position: SourcePosition) {}
    mutating func endArray() {}
    mutating func string(_ text: Span<UInt8>) {}
    mutating func data(_ bytes: Span<UInt8>) {}
    mutating func scalar(_ value: PropertyListScalar) {}
}
