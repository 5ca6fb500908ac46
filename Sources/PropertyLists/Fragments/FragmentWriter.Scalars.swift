import Bytes

/// Values without content.
extension FragmentWriter {
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        beginElement()
        guard syntax == .xml else { return output.append(jsonString: text) }
        output.append("<string>" as StaticString)
        try append(lines: text)
        output.append("</string>" as StaticString)
    }

    /// Appends a text whose lines end as those of the document; a reader of XML makes line feeds of them again.
    private mutating func append(lines text: Span<UInt8>) throws(PropertyListError) {
        guard style.lineBreak != [10] else { return try output.append(xmlText: text) }
        var start = 0
        for index in text.indices where text[index] == 10 {
            try output.append(xmlText: text.extracting(start..<index))
            append(style.lineBreak)
            start = index + 1
        }
        try output.append(xmlText: text.extracting(start..<text.count))
    }

    public mutating func integer(_ value: PropertyListInteger) {
        beginElement()
        if syntax == .xml { output.append("<integer>" as StaticString) }
        output.append(value)
        if syntax == .xml { output.append("</integer>" as StaticString) }
    }

    public mutating func real(_ value: Double) {
        beginElement()
        let text = JSONText.real(value)
        switch syntax {
        case .xml: output.append("<real>\(text)</real>")
        case .json: output.append(value.isFinite ? text : "\"\(text)\"")
        }
    }

    public mutating func boolean(_ value: Bool) {
        beginElement()
        switch syntax {
        case .xml: output.append(value ? "<true/>" : "<false/>" as StaticString)
        case .json: output.append(value ? "true" : "false" as StaticString)
        }
    }

    public mutating func date(_ seconds: Double) throws(PropertyListError) {
        guard let (date, microsecond) = CivilDate.moment(seconds) else { throw CivilDate.outOfRange }
        beginElement()
        if syntax == .xml {
            guard seconds == seconds.rounded(.down) else { throw CivilDate.fractionInXML }
            output.append("<date>" as StaticString)
            output.append(date)
            output.append("</date>" as StaticString)
        } else {
            output.append(UInt8(ascii: "\""))
            output.append(date, microsecond: microsecond)
            output.append(UInt8(ascii: "\""))
        }
    }

    public mutating func data(_ bytes: Span<UInt8>) {
        beginElement()
        guard syntax == .xml else {
            output.append(UInt8(ascii: "\""))
            output.append(base64: bytes)
            return output.append(UInt8(ascii: "\""))
        }
        output.append("<data>" as StaticString)
        let line = indent
        var start = 0
        while start < bytes.count {
            let end = line == nil ? bytes.count : min(start + Self.dataLineBytes, bytes.count)
            if let line, bytes.count > Self.dataLineBytes {
                append(line: line)
            }
            output.append(base64: bytes.extracting(start..<end))
            start = end
        }
        if let line, bytes.count > Self.dataLineBytes {
            append(line: line)
        }
        output.append("</data>" as StaticString)
    }

    /// As many bytes of data as fill a line of 76 characters in base64.
    private static var dataLineBytes: Int { 57 }

    public mutating func uid(_ value: UInt64) throws(PropertyListError) {
        beginDictionary(at: .byte(offset: 0))
        try key(Array("CF$UID".utf8).span, at: .byte(offset: 0))
        integer(PropertyListInteger(value))
        try endDictionary()
    }
}
