internal import PropertyLists

/// Text that does not name an order of rows.
public enum MalformedOrder: Error, Equatable, CustomStringConvertible {
    /// A name is empty in this text.
    case emptyName(String)
    /// There are more names than `RowOrder.limit`: so many.
    case tooManyNames(Int)

    /// What an order must be, to follow the name of the option or the key.
    public var description: String {
        switch self {
        case .emptyName(let text):
            "must be names of fields with commas between them, as -Price,Title, not '\(quoted: text)'"
        case .tooManyNames(let count): "must name at most \(RowOrder.limit) fields, not \(count)"
        }
    }
}
