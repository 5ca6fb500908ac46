internal import Bytes
public import PropertyLists

/// The settings page that a document is, and what it needs of other files.
public struct SettingsPage: Sendable {
    /// A row whose level is another page.
    public struct ChildPane: Sendable, Equatable {
        /// The number of the row.
        public let row: Int
        /// The name of the page's file, without `.plist`; nil if the specifier has none.
        public let file: String?
        /// The title of the row, which may be empty.
        public let title: String
        /// Where the specifier is in its document.
        public let position: SourcePosition
    }

    /// The level whose one row is the root.
    let document: Level
    /// The level of the page.
    public let level: Level

    /// The rows whose levels are other pages, in the order of the page.
    public let childPanes: [ChildPane]

    /// The name of the table of strings that the page names as its `StringsTable`.
    public var stringsTable: String? { document.text("StringsTable", inRow: 0) }
}

extension Level {
    /// The text of a row's field; nil for any other value.
    func text(_ field: String, inRow number: Int) -> String? {
        let bytes = bytes
        return PackedDictionary(bytes.span, row(number).fields).text(field)
    }
}
