internal import PropertyLists

/// Makes an item's level from the rows of a list, once the whole item has been gathered.
///
/// Each strategy is one file; the `ListRule` of the list names it. The rows are items, or records that the strategy
/// titles and arranges. It reads the item's other slots with `TreeBuilder.text(of:in:)` and `texts(of:in:)`.
protocol LevelStrategy: SendableMetatype {
    /// - Throws: `PropertyListError` if the item's slots do not fit its rows.
    static func level(
        of rows: consuming SetAsideRows, in item: GatheredItem, _ builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level
}
