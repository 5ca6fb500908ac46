/// The limits beyond which a document is refused.
public struct PropertyListLimits: Sendable, Equatable {
    /// The maximum nesting of containers. An item takes up to four: dictionary, sections, section, rows.
    public var nesting: Int
    /// The maximum bytes of one text, key or data value.
    public var valueBytes: Int
    /// The maximum number of values of all types; shared ones count each time they appear.
    public var values: Int

    /// The default limits: `nesting` is enough for 512 levels of any shape.
    public init(nesting: Int = 2_200, valueBytes: Int = 64 << 20, values: Int = 200_000_000) {
        self.nesting = nesting
        self.valueBytes = valueBytes
        self.values = values
    }
}
