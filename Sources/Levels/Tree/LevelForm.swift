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
}
