internal import Bytes

extension Tree {
    /// The tree after its document was edited, with the parts that the document refers to now.
    ///
    /// O(levels with parts in or below them).
    public func edited(to document: Level) -> Tree {
        var tree = Tree(
            document: document, warnings: warnings, parts: document.partMentions, childPanes: childPanes)
        tree.strayRows = []
        return tree
    }
}

extension Level {
    /// The parts that a document refers to.
    public var partReferences: Set<PartReference> { Set(partMentions.map(\.reference)) }

    /// The parts that a document refers to, each once, in the order of the document.
    fileprivate var partMentions: [PartMention] {
        guard holdsParts else { return [] }
        var known: Set<PartReference> = []
        var mentions: [PartMention] = []
        var stack = [(level: self, row: 0, titles: [String]())]
        while let (level, row, titles) = stack.popLast() {
            guard row < level.rowCount else { continue }
            stack.append((level, row + 1, titles))
            if level.rowsHoldParts, let reference = level.part(row), known.insert(reference).inserted {
                let path = titles.isEmpty ? "/" : TitlePath.text(titles)
                mentions.append(PartMention(reference: reference, position: nil, path: path))
            }
            guard let child = level.child(row), child.holdsParts else { continue }
            stack.append((child, 0, level === self ? [] : titles + [level.title(row)]))
        }
        return mentions
    }
}

extension Level {
    /// The path of an item that has its own level beside a `Source`; nil if none has.
    ///
    /// A reader keeps that `Source` as a plain field. A document that another server composed has it.
    public var levelBesideSource: String? {
        var stack = [(level: self, row: 0, titles: [String]())]
        while let (level, row, titles) = stack.popLast() {
            guard row < level.rowCount else { continue }
            stack.append((level, row + 1, titles))
            guard let child = level.child(row) else { continue }
            let names = level === self ? [] : titles + [level.title(row)]
            if level.part(row) == nil, level.hasField(named: PartReference.sourceName, inRow: row) {
                return TitlePath.text(names)
            }
            stack.append((child, 0, names))
        }
        return nil
    }

    private func hasField(named name: String, inRow row: Int) -> Bool {
        let bytes = bytes
        return PackedFieldList.value(named: name, in: bytes.span, self.row(row).fields) != nil
    }
}

extension EditedItem {
    /// The same in another composition of the document, in which rows are where they were.
    public func found(in document: Level) -> EditedItem {
        guard case .present(let item, let isNew) = self, let found = Item(rowPath: item.rowPath, in: document) else {
            return self
        }
        return .present(found, isNew: isNew)
    }
}
