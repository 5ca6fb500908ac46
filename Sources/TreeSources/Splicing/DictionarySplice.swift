package import PropertyLists

/// A document that is one dictionary without items, such as stored values, after edits; see `DocumentSplice`.
package struct DictionarySplice: Sendable {
    private let old, new: PropertyListDictionary

    /// - Parameters:
    ///   - old: the dictionary that was read from the file.
    ///   - new: the dictionary that is to be written.
    package init(old: PropertyListDictionary, new: PropertyListDictionary) {
        self.old = old
        self.new = new
    }

    /// Writes the new document.
    ///
    /// - Parameters:
    ///   - input: the file that `old` was read from; nil to write a new one.
    ///   - sink: takes the document's bytes, piece by piece.
    /// - Throws: `SpliceError`; an incomplete document may have been sent then.
    package func write<Failure: Error>(
        _ input: DocumentInput?, syntax: PropertyListSyntax, to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        guard let input, let textual = syntax.textual else {
            return try DocumentOutput.write(.dictionary(new), syntax: syntax, to: sink)
        }
        let document: DocumentText
        let splicer: Splicer
        do throws(PropertyListError) {
            document = try DocumentText(input, isXML: textual == .xml)
            splicer = Splicer(SplicedText(document, textual), root: TouchedItem())
            guard case .dictionary(let dictionary) = try splicer.container(at: 0, anchor: nil) else {
                throw .notWhatWasRead
            }
            splicer.root.dictionary = dictionary
            try splicer.splice(
                dictionary, old.entries.map(SplicedField.init), new.entries.map(SplicedField.init)
            ) { (_) throws(PropertyListError) in throw .contradictoryEdit }
            splicer.pieces.copy(upTo: document.count)
        } catch {
            throw .document(error)
        }
        try DocumentOutput.write(splicer.pieces.all, of: document, textual, to: sink)
    }
}
