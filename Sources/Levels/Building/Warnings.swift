import Bytes
public import PropertyLists

/// Warnings about unusual but valid content.
extension TreeBuilder {
    /// Keeps a warning of the reader.
    public mutating func warning(_ message: String, at position: SourcePosition) { warn(message, at: position) }

    mutating func warn(_ message: @autoclosure () -> String, at position: SourcePosition) {
        guard !tree.warnings.isFull else { return tree.warnings.omit() }
        tree.warnings.add(DocumentWarning(position: position, path: currentPath() ?? "/", message: message()))
    }

    mutating func warnAboutRepeatedKey(_ name: Span<UInt8>, at position: SourcePosition, after earlier: Int) {
        let first = tree.fields.start(earlier).place.position
        warn(RepeatedKey.message(QuotedText(utf8: name), first: first, second: position), at: position)
    }

    mutating func warnAboutNearMiss(_ name: Span<UInt8>, in table: SlotTable, at position: SourcePosition) {
        guard !tree.warnings.isFull else { return tree.warnings.omit() }
        guard let near = table.nearMiss(of: name) else { return }
        warn("'\(quoted: name)' is kept as a field; did you mean '\(quoted: near)'?", at: position)
    }

    mutating func warnAboutEmptyChildren(at position: SourcePosition) {
        warn("the list of children is empty, so the item is a leaf; omit the key if that is intended", at: position)
    }

    mutating func warnAboutRepeatedTitle(at position: SourcePosition) {
        guard let repeated = tree.repeatedTitle else { return }
        warn(repeated.message, at: repeated.second ?? position)
    }
}

/// Fields of one name that contain rows. The name is not structural, so the rows are not served.
public struct StrayRows: Sendable, Equatable {
    /// The name of the fields.
    public let name: String
    /// The position of the first of these fields, and the titles from the root to the item with that field.
    let position: SourcePosition
    let path: String
    /// The structural name that is one typing error away from `name`; otherwise nil.
    public let meant: String?
    /// The names under which rows are read.
    let structural: [String]
    /// The number of these fields. A field within the rows of another stray field does not count.
    public internal(set) var count = 1

    static let mostNames = 20

    var warning: DocumentWarning {
        let others = count == 1 ? "" : ", here and in \(count - 1) more \(count == 2 ? "place" : "places")"
        if let meant { return warning("'\(name)' is kept as a field\(others); did you mean '\(meant)'?") }
        let list = structural.map { "'\($0)'" }.joined(separator: " or ")
        return warning(
            "'\(name)' holds dictionaries with a title but is kept as a field\(others); rows are read from \(list)")
    }

    private func warning(_ message: String) -> DocumentWarning {
        DocumentWarning(position: position, path: path, message: message)
    }
}

/// Notes fields that hold rows under a name that is not structural.
extension TreeBuilder {
    /// Notes the last field of the innermost item or section if the value of the field, a list, looks like rows.
    mutating func noteList(_ content: Range<Int>, at position: SourcePosition) {
        let meaning = tree.fields.start(tree.fields.count - 1).meaning
        guard meaning.slot == .none, !meaning.isNearMiss else { return }
        guard meaning.isNearList ? couldBeRows(content) : holdsTitledDictionaries(content) else { return }
        let name = name(ofField: tree.fields.count - 1)
        if let known = strayRows.firstIndex(where: { $0.name == name }) {
            strayRows[known].count += 1
        } else if strayRows.count < StrayRows.mostNames {
            strayRows.append(
                StrayRows(
                    name: name, position: position, path: currentPath() ?? "/",
                    meant: meaning.isNearList ? (kind == .section ? sectionSlots : itemSlots).nearList(of: name) : nil,
                    structural: names[.children]))
        } else {
            tree.warnings.omit()
        }
    }

    /// Whether a list could be a level, judging by its first element.
    private func couldBeRows(_ content: Range<Int>) -> Bool {
        guard !content.isEmpty else { return true }
        switch PackedTag(rawValue: tree.fields.bytes.span[content.lowerBound]) {
        case .string, .dictionary, .array: return true
        default: return false
        }
    }

    /// Whether the first elements of a list include a dictionary with a title.
    private func holdsTitledDictionaries(_ content: Range<Int>) -> Bool {
        var reader = PackedReader(bytes: tree.fields.bytes.span, at: content.lowerBound)
        for _ in 0..<4 where reader.offset < content.upperBound {
            let element = reader.offset
            guard reader.byte() == PackedTag.dictionary.rawValue else {
                reader.offset = element
                reader.skipValue()
                continue
            }
            let size = reader.halfWord()
            if hasTitle(reader.offset..<reader.offset + size) { return true }
            reader.offset += size
        }
        return false
    }

    private func hasTitle(_ content: Range<Int>) -> Bool {
        var reader = PackedReader(bytes: tree.fields.bytes.span, at: content.lowerBound)
        while reader.offset < content.upperBound {
            let name = tree.fields.bytes.span.extracting(reader.run())
            if itemSlots.names(of: .title).contains(where: { name.isEqual(to: $0.utf8Span.span) }),
                isTitle(reader.offset)
            {
                return true
            }
            reader.skipValue()
        }
        return false
    }

    /// Whether a packed value could be a title.
    private func isTitle(_ value: Int) -> Bool {
        switch PackedTag(rawValue: tree.fields.bytes.span[value]) {
        case .string, .positive, .negative, .real, .date, .yes, .no: true
        default: false
        }
    }
}
