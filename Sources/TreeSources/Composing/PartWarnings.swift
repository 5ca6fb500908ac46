internal import Levels
internal import PropertyLists

/// The warnings about the parts of a document: the first hundred, and how many more there were.
struct PartWarnings {
    private(set) var first: [SourceWarning] = []
    private(set) var omitted = 0

    private static let most = 100

    private mutating func add(_ warning: SourceWarning) {
        if first.count < Self.most { first.append(warning) } else { omitted += 1 }
    }

    /// Adds those of a part's own file.
    mutating func add(_ loaded: LoadedTree) {
        for warning in loaded.warnings { add(warning) }
        omitted += loaded.omittedWarnings
    }

    /// Adds that a part is not served: in its own file if the fault is there, else where the document refers to it.
    ///
    /// - Parameter file: the name of that document's file.
    mutating func add(_ refusal: SourceError, at mention: PartMention, in file: String) {
        if let position = refusal.position {
            let warning = DocumentWarning(position: position, path: refusal.path ?? "", message: refusal.reason)
            return add(SourceWarning(file: refusal.file, warning: warning))
        }
        let message = "'\(path: mention.reference.path)' cannot be mounted: \(refusal.reason)"
        let position = mention.position ?? .byte(offset: 0)
        add(
            SourceWarning(
                file: file, warning: DocumentWarning(position: position, path: mention.path, message: message)))
    }
}

extension LoadedTree {
    /// The same load after the parts were put in place.
    func composed(as composition: Composition, _ more: PartWarnings) -> LoadedTree {
        var loaded = self
        loaded.tree = tree.composed(as: composition.document)
        loaded.composition = composition
        let room = max(0, 100 - warnings.count)
        loaded.warnings += more.first.prefix(room)
        loaded.omittedWarnings += more.omitted + more.first.dropFirst(room).count
        return loaded
    }
}
