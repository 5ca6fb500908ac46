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

/// A document of several files, composed again after a change of one file.
public struct Recomposition {
    /// The new composition of the document.
    public private(set) var root: Composition
    /// Each replaced composition, with the new composition that replaces it: of the changed file, and of the files that
    /// mount it.
    public private(set) var made: [(old: Composition, new: Composition)] = []
    private let names: StructuralNames
    private let limits: TreeLimits
    /// The compositions of the files that were visited, by the old compositions.
    private var known: [ObjectIdentifier: Composition] = [:]

    /// Composes the document with other content of a file. The parts stay those of the old content.
    ///
    /// - Parameters:
    ///   - root: the composition of the document.
    ///   - file: the composition of the changed file.
    ///   - source: the new content of that file.
    ///   - names: the structural keys of the document.
    ///   - limits: the limits for the whole document.
    /// - Throws: `TreeError` if a file cannot be composed.
    public init(
        of root: Composition, replacing file: Composition, with source: Level, names: StructuralNames,
        limits: TreeLimits
    ) throws(TreeError) {
        (self.root, self.names, self.limits) = (root, names, limits)
        try replace(file, with: source, parts: file.parts)
        // Without recursion, because files may be mounted in each other to any depth.
        var waiting = [(composition: root, isOpen: false)]
        while let (next, isOpen) = waiting.popLast() {
            if known[ObjectIdentifier(next)] != nil { continue }
            if isOpen {
                try compose(next)
                continue
            }
            waiting.append((next, true))
            for case .composed(let part) in next.parts.values where !part.parts.isEmpty {
                waiting.append((part, false))
            }
        }
        self.root = known[ObjectIdentifier(root)] ?? root
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
        if isChanged {
            try replace(old, with: old.source, parts: parts)
        } else {
            known[ObjectIdentifier(old)] = old
        }
    }

    private mutating func replace(
        _ old: Composition, with source: Level, parts: [PartReference: Composition.Part]
    ) throws(TreeError) {
        let new = try Composition(source: source, parts: parts, names: names, limits: limits, sharing: old)
        known[ObjectIdentifier(old)] = new
        made.append((old, new))
    }
}
