internal import PropertyLists

/// What a source wants known although its tree is fine, for logs.
public enum SourceNotice: Sendable, Equatable {
    /// The copy of an earlier run is served until the origin has answered.
    case servesCopy(path: String, name: String)
    /// A copy is there and cannot be used.
    case copyNotRead(SourceError)
    /// The document cannot be kept on disk; it is served all the same.
    case copyNotKept(SourceError)
}

extension SourceNotice: CustomStringConvertible {
    public var description: String {
        switch self {
        case .servesCopy(let path, let name): "\(path: path): this copy is served until \(path: name) responds."
        case .copyNotRead(let error): "\(error) The copy is not used."
        case .copyNotKept(let error): "\(error) The new document is served anyway."
        }
    }
}
