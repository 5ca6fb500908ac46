import Bytes
public import PropertyLists

/// Texts, numbers, dates and data: fields, titles, keys, or items.
extension TreeBuilder {
    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        // If a text has no position of its own, its container's position is used.
        try string(text, at: frames.last?.position ?? .byte(offset: 0))
    }

    public mutating func string(_ text: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        switch kind {
        case .item:
            guard role == nil || role == .title || role == .key else { throw wrongValue("text") }
            noteText(text)
            fields.string(text)
            role = nil
        case .rows: try addStringItem(text, at: position)
        case .sectionDictionary where role != nil:
            try sectionText(String(utf8: text))
            fallthrough
        default:
            try refuseScalar("text")
            noteText(text)
            fields.string(text)
            role = nil
        }
    }

    public mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) {
        try willReadScalar("a number", value.description)
        fields.bytes.append(packed: value)
        didReadValue()
    }

    public mutating func real(_ value: Double) throws(PropertyListError) {
        try willReadScalar("a number", JSONText.real(value))
        fields.bytes.append(PackedTag.real, value)
        didReadValue()
    }

    public mutating func boolean(_ value: Bool) throws(PropertyListError) {
        try willReadScalar("a Boolean", value ? "true" : "false")
        fields.bytes.append(value ? PackedTag.yes : .no)
        didReadValue()
    }

    public mutating func date(_ seconds: Double) throws(PropertyListError) {
        if seconds != seconds.rounded() { hasTextBeyondXML = true }
        try willReadScalar("a date", JSONText.date(seconds))
        fields.bytes.append(PackedTag.date, seconds)
        didReadValue()
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        try refuseScalar("data")
        if role == .title { throw wrongValue("data") }
        fields.data(bytes)
        didReadValue()
    }

    public mutating func uid(_ value: UInt64) throws(PropertyListError) {
        try refuseScalar("an archive's UID")
        if role == .title { throw wrongValue("an archive's UID") }
        fields.uid(value)
        didReadValue()
    }

    /// Refuses a number, date or Boolean where only structure is allowed, and takes it for a section's text.
    mutating func willReadScalar(
        _ what: String, _ text: @autoclosure () -> String
    ) throws(PropertyListError) {
        try refuseScalar(what)
        if kind == .sectionDictionary, role != nil { try sectionText(text()) }
    }

    /// Refuses a value other than a string in a place that asks for structure.
    @inline(__always)
    mutating func refuseScalar(_ what: String) throws(PropertyListError) {
        switch kind {
        case .item where role == nil || role == .title: return
        case .sectionDictionary where role == nil || role == .title: return
        case .dictionary, .array: return
        default: throw misplaced(what)
        }
    }

    private func misplacedElement(_ what: String) -> PropertyListError {
        let number = rows.count - (frames.last?.rowBase ?? 0) + 1
        return PropertyListError(
            "element \(number) of the array is \(what), but an item must be a string or a dictionary")
    }

    func misplaced(_ what: String) -> PropertyListError {
        switch kind {
        case nil: Self.noLevel(what)
        case .rows: misplacedElement(what)
        case .sectionList where frames.last?.acceptsSectionDictionaries != true:
            PropertyListError("a section must be an array, not \(what)")
        case .sectionList: PropertyListError("a section must be an array or a dictionary, not \(what)")
        case .namedSections:
            PropertyListError(
                "the section '\(quoted: frames.last?.branch?.name ?? "")' must be an array of items, not \(what)")
        default: wrongValue(what)
        }
    }
}
