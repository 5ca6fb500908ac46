import Bytes
public import PropertyLists

/// Dictionaries and arrays, and the keys of their entries: each is an item, interpreted when it ends.
extension AnyTreeBuilder {
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        tree.note(name)
        let start = tree.fields.bytes.count
        tree.fields.bytes.append(name)
        containers[containers.count - 1].key = start..<tree.fields.bytes.count
        containers[containers.count - 1].place = PackedPosition(position)
    }

    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        try open(isDictionary: true)
    }

    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try open(isDictionary: false)
    }

    public mutating func endDictionary() throws(PropertyListError) { try close() }

    public mutating func endArray() throws(PropertyListError) { try close() }

    private mutating func open(isDictionary: Bool) throws(PropertyListError) {
        let title = try openItem()
        containers.append(
            Container(
                isDictionary: isDictionary, start: tree.fields.bytes.count, rowBase: tree.rows.count, title: title))
    }

    private mutating func close() throws(PropertyListError) {
        try tree.checkComplete()
        let container = containers[containers.count - 1]
        if container.isDictionary { dropRepeatedKeys(from: container.rowBase) }
        containers.removeLast()
        if let uid = takeUID(of: container) {
            let start = openLeaf()
            tree.fields.uid(uid)
            return try closeLeaf(from: start, title: container.title)
        }
        if tree.rows.count == container.rowBase { return try addEmpty(container) }
        let level = try tree.level(
            from: container.rowBase, start: container.start, form: container.isDictionary ? .entries : .elements,
            at: nil)
        try add(PendingRow(fields: container.start..<container.start, title: container.title), level: level)
    }

    private mutating func addEmpty(_ container: Container) throws(PropertyListError) {
        let start = openLeaf()
        tree.fields.bytes.append(container.isDictionary ? PackedTag.dictionary : .array)
        tree.fields.bytes.append(halfWord: 0)
        try closeLeaf(from: start, title: container.title)
    }

    /// Of entries with one key, the last counts, in the place of the first, as in every reader of dictionaries.
    private mutating func dropRepeatedKeys(from base: Int) {
        var first: [UInt64: Int] = [:]
        var dropped: [Int] = []
        var earliest = PackedPosition.none
        for row in base..<tree.rows.count {
            let hash = TableHash.of(tree.fields.bytes.span.extracting(tree.rows[row].title))
            guard let earlier = first[hash] else {
                first[hash] = row
                continue
            }
            if dropped.isEmpty { earliest = tree.rows[earlier].place }
            tree.rows[earlier] = tree.rows[row]
            tree.children[earlier] = tree.children[row]
            dropped.append(row)
        }
        guard let example = dropped.first else { return }
        warnAboutRepeatedKey(of: tree.rows[example], after: earliest)
        let gone = Set(dropped)
        let kept = (base..<tree.rows.count).filter { !gone.contains($0) }
        tree.rows.replaceSubrange(base..., with: kept.map { tree.rows[$0] })
        tree.children.replaceSubrange(base..., with: kept.map { tree.children[$0] })
    }

    private mutating func warnAboutRepeatedKey(of row: PendingRow, after earliest: PackedPosition) {
        guard let position = row.place.position else { return }
        let name = QuotedText(utf8: tree.fields.bytes.span.extracting(row.title))
        let message = RepeatedKey.message(name, first: earliest.position, second: position)
        tree.warnings.add(DocumentWarning(position: position, path: currentPath() ?? "/", message: message))
    }

    /// Removes the only entry of a dictionary from the rows if it is a UID as non-binary formats write it.
    private mutating func takeUID(of container: Container) -> UInt64? {
        guard container.isDictionary, tree.rows.count == container.rowBase + 1, let row = tree.rows.last,
            let level = tree.children.last, level == nil,
            tree.fields.bytes.span.extracting(row.title).isEqual(to: "CF$UID".utf8Span.span)
        else { return nil }
        var reader = PackedReader(tree.fields.bytes.span, at: row.fields.lowerBound)
        _ = reader.run()
        guard reader.byte() == PackedTag.positive.rawValue else { return nil }
        let value = reader.number()
        tree.dropLastItem(from: container.start)
        return value
    }
}
