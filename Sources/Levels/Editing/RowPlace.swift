/// The position of a row in its sections.
public struct RowPlace: Sendable, Equatable {
    /// The number of the section; 0 in a plain list. Hidden sections count after the shown ones.
    public var section: Int
    /// The number of rows of the section before it.
    public var offset: Int

    /// - Parameters:
    ///   - section: the number of the section.
    ///   - offset: the number of rows of the section before the place.
    public init(section: Int = 0, offset: Int) {
        self.section = section
        self.offset = offset
    }
}
