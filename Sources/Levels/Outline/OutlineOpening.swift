/// Which rows of an outline are open: all down to a depth, and some by name.
public struct OutlineOpening: Sendable {
    /// The number of levels that are open, beginning with the outline's own; at least 1.
    public var depth = 1
    /// Paths from the outline's level to items that are open with all above them.
    public var paths: [ItemPath] = []

    /// An opening that shows one level.
    public init() {}

    /// A depth that opens everything.
    public static let all = Int(UInt16.max)
}

/// Rows of a level that are open by name, and those below them.
struct NamedRows {
    private(set) var rows: [Int: NamedRows] = [:]

    /// The rows that paths name; a path that leads nowhere names none.
    init(_ paths: [ItemPath], in level: Level) {
        for path in paths {
            if let steps = Self.steps(path, in: level) { insert(steps[...]) }
        }
    }

    private init() {}

    private mutating func insert(_ steps: ArraySlice<Int>) {
        guard let first = steps.first else { return }
        rows[first, default: NamedRows()].insert(steps.dropFirst())
    }

    /// The row numbers that a path leads through; nil if it leads nowhere.
    private static func steps(_ path: ItemPath, in level: Level) -> [Int]? {
        var steps: [Int] = []
        var next: Level? = level
        for number in 0..<path.count {
            guard let level = next, let row = level.row(withKey: path.bytes.span.extracting(path.range(number))) else {
                return nil
            }
            steps.append(row)
            next = level.child(row)
        }
        return steps
    }
}
