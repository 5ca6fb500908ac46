internal import PropertyLists

/// A notice from a source whose tree is valid, for logs.
public enum SourceNotice: Sendable, Equatable {
    /// The copy of an earlier run is served until the origin responds.
    case servesCopy(path: String, name: String)
    /// A copy exists but cannot be used.
    case copyNotRead(SourceError)
    /// The document cannot be stored on disk; it is served anyway.
    case copyNotKept(SourceError)
}

extension SourceNotice: CustomStringConvertible {
    /// A whole sentence, or two.
    public var description: String {
        switch self {
        case .servesCopy(let path, let name): "\(path: path): this copy is served until \(path: name) responds."
        case .copyNotRead(let error): "\(error) The copy is not used."
        case .copyNotKept(let error): "\(error) The new document is served anyway."
        }
    }
}
