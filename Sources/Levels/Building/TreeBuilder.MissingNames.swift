internal import Bytes
internal import PropertyLists

/// The errors for missing structural names, with a misspelt name that is present instead.
extension TreeBuilder {
    /// The error for the innermost item, if it has neither title nor key.
    var noTitle: PropertyListError {
        mutating get {
            let found = fieldNames { tree.fields.scalarText(at: $0) != nil }
            untitledItem = UntitledItem(names: found)
            return PropertyListError(missingTitle(among: found), at: frames.last?.position, path: currentPath())
        }
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
    var noLevel: PropertyListError {
        mutating get {
            let found = fieldNames { value in
                let tag = tree.fields.bytes.span[value]
                return tag == PackedTag.array.rawValue || tag == PackedTag.dictionary.rawValue
            }
            guard let (field, meant) = misspelt(among: found, [.children, .sections]) else {
                var error = Self.noLevel("a dictionary without a level")
                error.position = frames.last?.position
                return error
            }
            refusesMisspeltName = true
            return PropertyListError(
                "the document is a dictionary without a level, but it has '\(quoted: field)'; did you mean '\(quoted: meant)'?",
                at: frames.last?.position)
        }
    }

    private func misspelt(
        among found: [String], _ roles: [StructuralNames.Role]
    ) -> (field: String, meant: String)? {
        for field in found {
            if let meant = names.slip(field, of: roles) { return (field, meant) }
        }
        return nil
    }

    /// The names of the innermost item's fields whose values fit.
    private func fieldNames(_ fits: (_ value: Int) -> Bool) -> [String] {
        var reader = PackedReader(tree.fields.bytes.span, at: items.innermost.base.start)
        var found: [String] = []
        while reader.offset < tree.fields.bytes.count, found.count < UntitledItem.mostNames {
            let name = reader.run()
            if fits(reader.offset) { found.append(String(utf8: tree.fields.bytes.span.extracting(name))) }
            reader.skipValue()
        }
        return found
    }
}
