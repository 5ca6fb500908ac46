internal import Bytes
internal import PropertyLists

/// The path to the place that is being read, for errors and warnings.
extension TreeBuilder {
    /// The titles from the root to the innermost open item, as `/Item 4/Screen G`; `/` at the root.
    public func currentPath() -> String? {
        guard !frames.isEmpty else { return nil }
        let open = frames.indices.filter { frames[$0].kind == .item }
        let titles = zip(open, items.all).dropFirst().map { number, item in
            title(of: item).map { QuotedText($0).description } ?? untitledStep(item, frame: number)
        }
        return TitlePath.joined(Array(titles))
    }

    private func title(of item: GatheredItem) -> String? {
        guard let field = item.field(titleSlot) ?? item.field(keySlot), field < tree.fields.count else { return nil }
        return scalarText(ofField: field)
    }

    /// The number of an item whose title is not known yet, and its first distinguishing field.
    private func untitledStep(_ item: GatheredItem, frame number: Int) -> String {
        let row = item.base.row - (frames[..<number].last { $0.kind.holdsItems }?.base.row ?? 0) + 1
        let isInnermost = number == frames.count - 1
        // The last field of an outer item holds what is being read.
        let end = isInnermost ? tree.fields.count : frames[number + 1].base.field - 1
        let known = distinguishingField(of: item, before: end)
        return "(item \(row)\(known.map { ", \($0)" } ?? ""))"
    }

    private func distinguishingField(of item: GatheredItem, before end: Int) -> String? {
        for field in item.base.field..<max(end, item.base.field) where field != item.levelField {
            guard let text = scalarText(ofField: field), !text.isEmpty else { continue }
            return "\(quoted: name(ofField: field)) '\(quoted: text)'"
        }
        return nil
    }

    /// The text of a field; nil for a container, and for a field whose value has not been read yet.
    private func scalarText(ofField field: Int) -> String? {
        let value = tree.fields.start(field).name.upperBound
        return value < tree.fields.bytes.count ? tree.fields.scalarText(at: value) : nil
    }
}
