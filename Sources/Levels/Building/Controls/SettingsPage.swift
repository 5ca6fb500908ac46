internal import Bytes
public import PropertyLists

/// A settings page, and the other files that the page needs.
public struct SettingsPage: Sendable {
    /// A row whose level is another page.
    public struct ChildPane: Sendable, Equatable {
        /// The number of the row.
        public let row: Int
        /// The name of the page's file without `.plist`; nil if the specifier names no file.
        public let file: String?
        /// The title of the row; may be empty.
        public let title: String
        /// The position of the specifier in its document.
        public let position: SourcePosition
    }

    let document: Level
    /// The level of the page.
    public let level: Level

    /// The rows whose levels are other pages, in the order of the page.
    public let childPanes: [ChildPane]

    /// The page's `StringsTable`: the name of the page's table of strings.
    public var stringsTable: String? { document.text("StringsTable", inRow: 0) }
}

extension Level {
    /// The text of a row's field; nil if the field is missing or not text.
    func text(_ field: String, inRow number: Int) -> String? {
        let bytes = bytes
        return PackedDictionary(bytes: bytes.span, fields: row(number).fields).text(field)
    }
}
