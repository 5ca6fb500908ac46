/// The value of a field: what a property list can hold, as JSON carries it.
///
/// JSON carries a date as RFC 3339 text and data as base64 text, so both are read as `text`; `date` and `data` read them
/// from there.
///
/// ```swift
/// let price = row.fields["Price"]?.double
/// let changes: Fields = ["Price": 12.5, "Tags": ["new", "red"], "Since": .date(.now)]
/// ```
public enum FieldValue: Hashable, Sendable {
    /// A text; also a date, data, and a real number that JSON cannot carry (`nan`, `+infinity`, `-infinity`).
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// A whole number greater than `Int64.max`.
    case unsigned(UInt64)
    /// A number with a fraction or an exponent.
    case real(Double)
    /// A boolean.
    case boolean(Bool)
    /// A list.
    case list([FieldValue])
    /// A dictionary, in the order of the document.
    case dictionary(Fields)
    /// No value. In the changes of a patch it removes the field from the item; the literal `nil` is the same there.
    case null
}
