extension Problem {
    /// A kind of problem, by the name in its `type`. Servers may know more kinds than are listed here.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name, such as `no-such-item`.
        public let rawValue: String

        /// The kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
