internal import PropertyLists

/// Finds content that XML property lists cannot represent: control characters, U+FFFE, U+FFFF, fractions of a second.
enum TextBeyondXML {
    /// Whether packed fields have a name or value that XML cannot represent. The levels at the holes of the fields do
    /// not count.
    static func isAmong(_ fields: Range<Int>, of bytes: Span<UInt8>) -> Bool {
        var reader = PackedReader(bytes: bytes, at: fields.lowerBound)
        var open = [(end: fields.upperBound, isDictionary: true)]
        while let innermost = open.last {
            guard reader.offset < innermost.end else {
                open.removeLast()
                continue
            }
            if innermost.isDictionary, XMLText.holdsMoreThanXML(bytes.extracting(reader.run())) { return true }
            var tag = PackedTag(rawValue: reader.byte())
            if tag == .hidden { tag = PackedTag(rawValue: reader.byte()) }
            switch tag {
            case .string: if XMLText.holdsMoreThanXML(bytes.extracting(reader.run())) { return true }
            case .date:
                let seconds = Double(bitPattern: reader.word())
                if seconds != seconds.rounded() { return true }
            case .array, .dictionary:
                let size = reader.halfWord()
                open.append((reader.offset + size, tag == .dictionary))
            default:
                reader.offset -= 1
                reader.skipValue()
            }
        }
        return false
    }
}

extension TextBeyondXML {
    /// Whether an item has a name or value that XML cannot represent, apart from the levels below.
    static func isIn(_ row: Row, of bytes: Span<UInt8>) -> Bool {
        row.isString
            ? XMLText.holdsMoreThanXML(bytes.extracting(row.title)) : isAmong(row.fields, of: bytes)
    }

    /// Whether the rows or sections of a level have text or dates that XML cannot represent, apart from the levels
    /// below.
    static func isIn(rowsOf bytes: [UInt8], count: Int, sections: [Section], form: LevelForm) -> Bool {
        for number in 0..<count {
            let row = Row(in: bytes.span, number: number)
            if isIn(row, of: bytes.span) { return true }
            if form == .entries, XMLText.holdsMoreThanXML(bytes.span.extracting(row.title)) { return true }
        }
        return sections.contains { section in
            isAmong(0..<section.fields.count, of: section.fields.span)
                || form == .namedSections && (section.title.map { isIn($0) } ?? false)
        }
    }

    private static func isIn(_ text: String) -> Bool {
        var text = text
        text.makeContiguousUTF8()
        return XMLText.holdsMoreThanXML(text.utf8Span.span)
    }
}

extension Level {
    /// Whether a row's item, apart from the levels below, contains text or dates that XML cannot represent.
    public func holdsTextBeyondXML(inRow number: Int) -> Bool {
        let bytes = bytes
        return TextBeyondXML.isIn(row(number), of: bytes.span)
    }
}
