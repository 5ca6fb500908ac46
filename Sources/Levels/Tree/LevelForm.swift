/// How a level's rows were written in the document.
public enum LevelForm: UInt8, Sendable {
    /// An array of items.
    case rows
    /// An array of arrays.
    case arraysOfRows
    /// `Sections`: an array of dictionaries and arrays.
    case sections
    /// `Sections`: a dictionary of arrays.
    case namedSections
    /// Shape `any`: the elements of an array, or the entries of a dictionary.
    case elements, entries
    /// The specifiers of a settings page, which the root keeps as they are; see `SettingsPage`.
    case specifiers
    /// `Records`: the values of a field of `DrillBy`, each with the records that have it below.
    case facets
    /// `Records`: the records themselves.
    case records

    /// Whether the rows were made from a table, so that they are written as its records.
    public var isDrilled: Bool { self == .facets || self == .records }
}
