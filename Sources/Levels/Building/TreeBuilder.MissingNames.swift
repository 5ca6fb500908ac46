internal import Bytes
internal import PropertyLists

/// The errors for missing structural names, with a misspelt name that is present instead.
extension TreeBuilder {
    /// The error for the innermost item, if it has neither title nor key.
    mutating func noTitle(in frame: Frame) -> PropertyListError {
        let found = fieldNames(in: frame.start..<fields.bytes.count) { fields.scalarText(at: $0) != nil }
        untitledItem = UntitledItem(names: found)
        return PropertyListError(missingTitle(among: found), at: frame.position, path: currentPath())
    }

    private mutating func missingTitle(among found: [String]) -> String {
        let title = names[.title].first ?? "Title"
        let key = names[.key].first ?? "Key"
        if let (field, meant) = misspelt(among: found, [.title]) {
            refusesMisspeltName = true
            return "an item has '\(quoted: field)' but no '\(quoted: title)'; did you mean '\(quoted: meant)'?"
        }
        if let (field, meant) = misspelt(among: found, [.key]) {
            return "an item has '\(quoted: field)' but no '\(quoted: title)' and no '\(quoted: key)'; "
                + "did you mean '\(quoted: meant)'?"
        }
        return "an item has no '\(quoted: title)'; give it one, or a '\(quoted: key)'"
    }

    /// The error for a root dictionary without a level.
    mutating func noLevel(in frame: Frame) -> PropertyListError {
        let content = frame.start..<fields.bytes.count
        let found = fieldNames(in: content) { value in
            let tag = fields.bytes.span[value]
            return tag == PackedTag.array.rawValue || tag == PackedTag.dictionary.rawValue
        }
        guard let (field, meant) = misspelt(among: found, [.children, .sections]) else {
            return Self.noLevel("a dictionary without a level").located(at: frame.position)
        }
        refusesMisspeltName = true
        return PropertyListError(
            "the document is a dictionary without a level, but it has '\(quoted: field)'; did you mean '\(quoted: meant)'?",
            at: frame.position)
    }

    private func misspelt(
        among found: [String], _ roles: [StructuralNames.Role]
    ) -> (field: String, meant: String)? {
        for field in found {
            if let meant = names.slip(field, of: roles) { return (field, meant) }
        }
        return nil
    }

    /// The names of packed fields whose values fit.
    private func fieldNames(in content: Range<Int>, _ fits: (_ value: Int) -> Bool) -> [String] {
        var reader = PackedReader(fields.bytes.span, at: content.lowerBound)
        var found: [String] = []
        while reader.offset < content.upperBound, found.count < UntitledItem.mostNames {
            let name = reader.run()
            if fits(reader.offset) { found.append(String(utf8: fields.bytes.span.extracting(name))) }
            reader.skipValue()
        }
        return found
    }
}
