/// The warnings of one load: the first hundred, and how many more there were.
public struct DocumentWarnings: Sendable, Equatable {
    /// The first hundred warnings, in document order.
    public private(set) var first: [DocumentWarning] = []
    /// The number of warnings after those.
    public private(set) var omitted = 0

    /// The maximum number of warnings that are kept.
    package static let most = 100

    /// Whether a further warning would only be counted, and so need not be made.
    var isFull: Bool { first.count >= Self.most }

    mutating func add(_ warning: DocumentWarning) {
        if isFull { omit() } else { first.append(warning) }
    }

    /// Counts a warning that is not kept.
    mutating func omit(_ count: Int = 1) { omitted += count }
}
