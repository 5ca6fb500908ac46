import TreeSources

/// A document that `check` reads once.
enum CheckedDocument {
    case source(any TreeSource)
    case standardInput(StandardInput)

    /// The name in errors and warnings.
    var name: String {
        switch self {
        case .source(let source): source.name
        case .standardInput: StandardInput.name
        }
    }

    /// - Throws: `SourceError` if it is refused.
    func load() throws(SourceError) -> LoadedTree {
        switch self {
        case .source(let source): try source.load(replacing: nil)
        case .standardInput(let input): try input.load()
        }
    }
}
