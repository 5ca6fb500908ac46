/// How much a document may ask for before it is refused.
public struct PropertyListLimits: Sendable, Equatable {
    /// Containers within containers. An item costs up to four: dictionary, sections, section, rows.
    public var nesting: Int
    /// Bytes of one text, key or data value.
    public var valueBytes: Int
    /// Values of all types, shared ones counted each time they appear.
    public var values: Int

    public init(nesting: Int = 2_200, valueBytes: Int = 64 << 20, values: Int = 200_000_000) {
        self.nesting = nesting
        self.valueBytes = valueBytes
        self.values = values
    }
}
