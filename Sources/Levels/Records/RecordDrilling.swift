/// How a flat table becomes levels: the fields to drill by, and the field that titles a record.
public struct RecordDrilling: Sendable, Hashable {
    /// The fields whose values are the levels, from the top down; if empty, the records are the level.
    public var fields: [String]
    /// The field that is a record's title; a record without it, or with an empty one, has its number in the table.
    public var titleField: String

    /// The default of `titleField`.
    public static let defaultTitleField = "Title"

    /// - Parameters:
    ///   - fields: the fields to drill by.
    ///   - titleField: the field that titles a record.
    public init(fields: [String], titleField: String = defaultTitleField) {
        self.fields = fields
        self.titleField = titleField
    }
}
