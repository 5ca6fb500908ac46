public import PropertyLists

extension PropertyListFile {
    /// Reads the file into a custom consumer, which interprets the values in another way than as a tree.
    ///
    /// - Throws: `SourceError` if the file cannot be read, or the consumer refuses it.
    public func read<Consumer: PropertyListConsumer>(into consumer: inout Consumer) throws(SourceError) {
        let file = try DocumentFile.open(path: path, maximumBytes: maximumBytes)
        do throws(PropertyListError) {
            let syntax = try SyntaxCheck.syntax(of: file.head())
            try syntax.read(file.input, limits: propertyListLimits, into: &consumer)
        } catch {
            throw SourceError(path, error)
        }
    }
}
