public import PropertyLists

/// The syntaxes of a file that `Records` names.
public enum TableSyntax: Sendable, Equatable {
    /// Lines of cells (RFC 4180), separated by commas or tabs.
    case lines(CSVReader.Separator)
    /// A property list or JSON: an array of dictionaries.
    case propertyList(PropertyListSyntax)

    /// Determines the syntax by the extension of the file's name, `.csv` or `.tsv`, or else by the content.
    ///
    /// - Parameter head: the first bytes of the file.
    /// - Throws: `PropertyListError` for another format, known or unknown.
    public init(fileName: String, head: [UInt8]) throws(PropertyListError) {
        let name = fileName.lowercased()
        if name.hasSuffix(".csv") {
            self = .lines(.comma)
        } else if name.hasSuffix(".tsv") {
            self = .lines(.tab)
        } else {
            self = .propertyList(try SyntaxCheck.syntax(of: head))
        }
    }
}
