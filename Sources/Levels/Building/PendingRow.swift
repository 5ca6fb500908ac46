/// A row that is read but whose level is not complete: offsets into the bytes that the builder has gathered.
struct PendingRow {
    /// The packed fields.
    var fields: Range<Int>
    /// Inside `fields`, or after them if the title is not a text of its own.
    var title: Range<Int>
    /// The value of the `Key` field.
    var explicitKey: Range<Int>?
    var isString = false
    /// Some of `Row.Flags.marks`.
    var marks: Row.Flags = []
    /// The number of a record in its table, from 1; 0 if the row is not a record.
    var recordNumber: UInt32 = 0
    /// For messages.
    var place = PackedPosition.none
}
