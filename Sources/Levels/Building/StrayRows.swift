internal import PropertyLists

/// Fields that contain rows under a name that is not structural, so that the rows are not served.
public struct StrayRows: Sendable, Equatable {
    /// The fields' name.
    public let name: String
    /// The position of the first of them, and the titles from the root to it.
    let position: SourcePosition
    let path: String
    /// The structural name that is one typing error away; nil if there is none.
    public let meant: String?
    /// The names under which rows are read.
    let structural: [String]
    /// The number of these fields; a field within another's rows is not counted.
    public internal(set) var count = 1
    /// Advice on how to serve the rows, for the end of the warning; nil if there is none.
    public var advice: String?

    /// The maximum number of names to distinguish.
    static let mostNames = 20

    var warning: DocumentWarning {
        let others = count == 1 ? "" : ", here and in \(count - 1) more \(count == 2 ? "place" : "places")"
        if let meant { return warning("'\(name)' is kept as a field\(others); did you mean '\(meant)'?") }
        let list = structural.map { "'\($0)'" }.joined(separator: " or ")
        let ending = advice.map { "; \($0)" } ?? ""
        return warning(
            "'\(name)' holds dictionaries with a title but is kept as a field\(others); rows are read from \(list)\(ending)"
        )
    }

    private func warning(_ message: String) -> DocumentWarning {
        DocumentWarning(position: position, path: path, message: message)
    }
}
