internal import Bytes

/// What the rows of a listing are ordered by: their sections, then how well a search finds them, then their fields, then
/// their places in the document.
///
/// It tells where a row would be, so that a place is found again in a list that has changed.
struct KnownOrder: Sendable {
    /// The search whose best hits come first.
    var rankedBy: ItemSearch?
    var fields = RowOrder.document
    var grouping = RowGrouping.document
    /// The hash of what tells each section from the others, if the rows are grouped by a field.
    var sectionMarks: [UInt64] = []

    /// Whether the rows have keys to be ordered by.
    var hasKeys: Bool { !fields.criteria.isEmpty || grouping == .initial || rankedBy != nil }

    /// Whether the rows are grouped by a field, so that the order of the sections is that of first appearance.
    var hasSectionMarks: Bool { if case .field = grouping { true } else { false } }

    var isDocument: Bool { !hasKeys && !hasSectionMarks }

    /// Appends bytes that are ordered as the rows are, within one section if they are grouped by a field.
    func appendKey(of row: Row, in bytes: Span<UInt8>, to key: inout ByteBuffer) {
        if grouping == .initial { InitialLetter.appendKey(of: bytes.extracting(row.title), to: &key) }
        if let rankedBy { key.append(rankedBy.rank(of: bytes.extracting(row.title)).rawValue) }
        fields.appendKey(of: row, in: bytes, to: &key)
    }
}
