internal import Bytes
package import Levels
package import PropertyLists

/// Writes a document after edits. Everything that the edits did not touch is copied from the older text.
///
/// The values come from the new tree. In an XML or JSON document, comments, indentation, the order of entries, line
/// ends and the encoding stay the same outside the changed items, and new text follows the layout around it. A binary
/// document is written as a whole, and so is a document whose root is new.
package struct DocumentSplice: Sendable {
    private let old, new: Level
    private let draft: LevelDraft?

    /// - Parameters:
    ///   - old: the document read from the file: a level whose only row is the root item.
    ///   - new: the document after the edits.
    ///   - draft: the draft of `old` that became `new`; nil if the whole document is new.
    package init(old: Level, new: Level, draft: LevelDraft?) {
        self.old = old
        self.new = new
        self.draft = draft
    }

    /// Writes the new document.
    ///
    /// Takes O(file) time, and memory only for the touched items.
    ///
    /// - Parameters:
    ///   - input: the file from which `old` was read.
    ///   - sink: takes the document's bytes, piece by piece.
    /// - Throws: `SpliceError`. The sink may then have received part of the document.
    package func write<Failure: Error>(
        _ input: DocumentInput, syntax: PropertyListSyntax, to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        guard let textual = syntax.textual, let root = draft?.root else {
            return try DocumentOutput.write(.tree(new), syntax: syntax, to: sink)
        }
        let document: DocumentText
        let pieces: [SplicePiece]
        do throws(PropertyListError) {
            document = try DocumentText(input: input, isXML: textual == .xml)
            pieces = try self.pieces(of: document, root: root, syntax: textual)
        } catch {
            throw .document(error)
        }
        try DocumentOutput.write(pieces, of: document, syntax: textual, to: sink)
    }

    private func pieces(
        of document: DocumentText, root draft: ItemDraft, syntax: FragmentWriter.Syntax
    ) throws(PropertyListError) -> [SplicePiece] {
        let root = TouchedItem()
        let (oldRoot, newRoot) = (Item.Step(level: old, row: 0), Item.Step(level: new, row: 0))
        try root.touch(draft, old: old, new: newRoot)
        let text = SplicedText(document: document, syntax: syntax)
        switch syntax {
        case .xml: try ItemLocation<XMLTokens>.locate(root, of: oldRoot, in: text)
        case .json: try ItemLocation<JSONTokens>.locate(root, of: oldRoot, in: text)
        }
        let splicer = Splicer(text: text, root: root)
        try splicer.splice(root, as: newRoot, by: draft)
        splicer.pieces.copy(upTo: document.count)
        return splicer.pieces.all
    }
}

extension Level {
    /// Returns the bytes of the document of this level, whose only row is the root item, without an older text.
    package func written(as syntax: PropertyListSyntax) throws(PropertyListError) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(SpliceError<Never>) {
            try DocumentOutput.write(.tree(self), syntax: syntax) { bytes.append(copying: $0) }
        } catch {
            switch error {
            case .document(let error): throw error
            }
        }
        return bytes
    }
}

/// The reason why a document could not be written.
package enum SpliceError<Failure: Error>: Error {
    /// The file does not match the old tree, or its syntax cannot represent a new value.
    case document(PropertyListError)
    /// The sink refused the bytes.
    case sink(Failure)
}

extension PropertyListSyntax {
    /// The syntax of a text that can be spliced; nil for a binary document.
    var textual: FragmentWriter.Syntax? {
        switch self {
        case .xml: .xml
        case .json: .json
        case .binary: nil
        }
    }
}

/// Writes a document that is one dictionary without items, such as stored values, after edits; see `DocumentSplice`.
package struct DictionarySplice: Sendable {
    private let old, new: PropertyListDictionary

    /// - Parameters:
    ///   - old: the dictionary read from the file.
    ///   - new: the dictionary to write.
    package init(old: PropertyListDictionary, new: PropertyListDictionary) {
        self.old = old
        self.new = new
    }

    /// Writes the new document.
    ///
    /// - Parameters:
    ///   - input: the file from which `old` was read; nil to write a new document.
    ///   - sink: takes the document's bytes, piece by piece.
    /// - Throws: `SpliceError`. The sink may then have received part of the document.
    package func write<Failure: Error>(
        _ input: DocumentInput?, syntax: PropertyListSyntax, to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        guard let input, let textual = syntax.textual else {
            return try DocumentOutput.write(.dictionary(new), syntax: syntax, to: sink)
        }
        let document: DocumentText
        let splicer: Splicer
        do throws(PropertyListError) {
            document = try DocumentText(input: input, isXML: textual == .xml)
            splicer = Splicer(text: SplicedText(document: document, syntax: textual), root: TouchedItem())
            guard case .dictionary(let dictionary) = try splicer.container(at: 0, anchor: nil) else {
                throw .notWhatWasRead
            }
            splicer.root.dictionary = dictionary
            try splicer.splice(
                dictionary, old: old.entries.map(SplicedField.init), new: new.entries.map(SplicedField.init)
            ) { (_) throws(PropertyListError) in throw .contradictoryEdit }
            splicer.pieces.copy(upTo: document.count)
        } catch {
            throw .document(error)
        }
        try DocumentOutput.write(splicer.pieces.all, of: document, syntax: textual, to: sink)
    }
}
