/// The stored values of the controls of a settings page, by key.
struct ControlValues: Sendable {
    /// The packed value that is stored under a key; nil if none is, so that the default shows.
    let stored: @Sendable (_ key: String) -> [UInt8]?

    /// Nothing is stored.
    static let none = ControlValues { _ in nil }
}
