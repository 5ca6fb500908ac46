public import Levels

/// A snapshot with its place in the order of publications; a response is made from exactly one.
public struct Publication: Sendable {
    /// The snapshot that is served.
    public let snapshot: Snapshot
    /// How many publications there were before this one; 0 for the first.
    public let number: Int
}
