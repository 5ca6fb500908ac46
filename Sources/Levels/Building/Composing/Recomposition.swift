extension Composition {
    /// Composes a document.
    ///
    /// - Parameters:
    ///   - source: the document of the file itself.
    ///   - parts: the part for each reference. A row whose reference is missing here gets no level.
    ///   - names: the structural keys of the document.
    ///   - limits: the limits for the whole document.
    ///   - old: an earlier composition of the same file, for sharing unchanged levels.
    /// - Throws: `TreeError` if mounted documents give two rows the same `Key`, or if the whole document exceeds the
    ///   limits.
    public convenience init(
        source: Level, parts: [PartReference: Part], names: StructuralNames = .init(), limits: TreeLimits = .init(),
        sharing old: Composition? = nil
    ) throws(TreeError) {
        var grafting = LevelGrafting(parts: parts, names: names, limits: limits, sharing: old)
        let document = try grafting.document(from: source)
        self.init(
            source: source, document: document, parts: parts, grafts: grafting.grafts, refusals: grafting.refusals)
    }
}

/// Composes a document of several files again after a change of one file.
public struct Recomposition {
    private let names: StructuralNames
    private let limits: TreeLimits
    private var known: [ObjectIdentifier: Composition] = [:]
    /// Each replaced composition, with the new composition that replaces it.
    public private(set) var made: [(old: Composition, new: Composition)] = []

    /// - Parameters:
    ///   - names: the structural keys of the document.
    ///   - limits: the limits for the whole document.
    public init(names: StructuralNames, limits: TreeLimits) {
        self.names = names
        self.limits = limits
    }

    /// Composes a file with other content and the same parts.
    ///
    /// - Throws: `TreeError` if the file cannot be composed.
    public mutating func replace(_ old: Composition, with source: Level) throws(TreeError) {
        try note(Composition(source: source, parts: old.parts, names: names, limits: limits, sharing: old), for: old)
    }

    /// Returns the new composition of a file, with the changes in the file and in the files below it. If nothing has
    /// changed, returns the old composition.
    ///
    /// - Throws: `TreeError` if a file cannot be composed.
    public mutating func composition(of root: Composition) throws(TreeError) -> Composition {
        // Without recursion, because files may be mounted in each other to any depth.
        var waiting = [(composition: root, isOpen: false)]
        while let (next, isOpen) = waiting.popLast() {
            if known[ObjectIdentifier(next)] != nil { continue }
            if isOpen {
                try compose(next)
                continue
            }
            waiting.append((next, true))
            for case .composed(let part) in next.parts.values { waiting.append((part, false)) }
        }
        return known[ObjectIdentifier(root)] ?? root
    }

    private mutating func compose(_ old: Composition) throws(TreeError) {
        var parts = old.parts
        var isChanged = false
        for (reference, part) in old.parts {
            guard case .composed(let below) = part, let new = known[ObjectIdentifier(below)], new !== below else {
                continue
            }
            parts[reference] = .composed(new)
            isChanged = true
        }
        guard isChanged else {
            known[ObjectIdentifier(old)] = old
            return
        }
        try note(Composition(source: old.source, parts: parts, names: names, limits: limits, sharing: old), for: old)
    }

    private mutating func note(_ new: Composition, for old: Composition) {
        known[ObjectIdentifier(old)] = new
        made.append((old, new))
    }
}
