internal import PropertyLists

/// Fields of one name that hold rows, though the name is no structural one: those rows are not served.
public struct StrayRows: Sendable, Equatable {
    /// The fields' name.
    public let name: String
    /// Where the first of them begins, and the titles from the root to it.
    let position: SourcePosition
    let path: String
    /// The structural name that is one slip away; nil where the name is simply another one.
    public let meant: String?
    /// The names under which rows are read.
    let structural: [String]
    /// How many such fields there are; one within another's rows is not counted.
    public internal(set) var count = 1
    /// What would serve the rows, to end the warning with; nil where nothing is known to.
    public var advice: String?

    /// How many names are told apart.
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
