/// The first byte of a packed value. A field is its name (length, UTF-8) and a value; a dictionary is its fields.
///
/// Lengths and integers are LEB128; containers carry their size in four bytes, so that a reader can skip them.
public enum PackedTag: UInt8, Sendable {
    /// A boolean, without content.
    case no, yes
    /// The magnitude of an integer.
    case positive, negative
    /// Eight bytes of a `Double`; a date is seconds since 2001-01-01T00:00:00Z.
    case real, date
    /// Length and bytes.
    case string, data
    /// The number of a keyed archive's UID.
    case uid
    /// Size in four bytes, then the elements.
    case array, dictionary
    /// The place of the children, followed by their `LevelForm` in one byte.
    case hole
    /// A structural field, such as `SectionKeys`, that details omit; its value follows. It is kept so that the document
    /// can be written again.
    case hidden
    /// The control that a row shows, which is not a field; see `PackedControl`.
    case control
}

/// The form of a level's rows in the document.
public enum LevelForm: UInt8, Sendable {
    /// An array of items.
    case rows
    /// An array of arrays.
    case arraysOfRows
    /// `Sections`: an array of dictionaries and arrays.
    case sections
    /// `Sections`: a dictionary of arrays.
    case namedSections
    /// Shape `any`: an array's elements, or a dictionary's entries.
    case elements, entries
    /// Rows made from the specifiers of a settings page; the specifiers themselves stay a field of the root. See
    /// `SettingsPage`.
    case specifiers
    /// `Records`: the values of a `DrillBy` field, each above its records.
    case facets
    /// `Records`: the records themselves.
    case records

    /// Whether the rows were made from a table, and are written as its records.
    public var isDrilled: Bool { self == .facets || self == .records }
}
