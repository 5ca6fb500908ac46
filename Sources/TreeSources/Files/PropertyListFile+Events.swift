public import PropertyLists

extension PropertyListFile {
    /// Reads the file into a consumer of one's own, which gives the values a meaning other than that of a tree.
    ///
    /// - Throws: `SourceError` for a file that cannot be read, or what the consumer refuses.
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
