extension Composition {
    /// Composes a document.
    ///
    /// - Parameters:
    ///   - source: the document as its file has it.
    ///   - parts: what its references lead to; one that is missing here leaves its row without a level.
    ///   - names: which keys are structure in the document.
    ///   - limits: how deep and how large the whole may become.
    ///   - old: an earlier composition of the same file, to share what has not changed.
    /// - Throws: `TreeError` if two rows have the same `Key` once their documents are mounted, or the whole is too deep
    ///   or too large.
    public convenience init(
        _ source: Level, parts: [PartReference: Part], names: StructuralNames = .init(), limits: TreeLimits = .init(),
        sharing old: Composition? = nil
    ) throws(TreeError) {
        var grafting = LevelGrafting(parts, names: names, limits: limits, sharing: old)
        let document = try grafting.document(from: source)
        self.init(
            source: source, document: document, parts: parts, grafts: grafting.grafts, refusals: grafting.refusals)
    }
}

/// Composes a document of several files anew after the source of one was edited.
struct Recomposition {
    private let names: StructuralNames
    private let limits: TreeLimits
    private var known: [ObjectIdentifier: Composition] = [:]
    /// The compositions that another one replaces.
    private(set) var made: [(old: Composition, new: Composition)] = []

    init(names: StructuralNames, limits: TreeLimits) {
        self.names = names
        self.limits = limits
    }

    /// Composes the file that was edited.
    mutating func replace(_ old: Composition, with source: Level) throws(TreeError) {
        try note(Composition(source, parts: old.parts, names: names, limits: limits, sharing: old), for: old)
    }

    /// The composition of a file with what has changed below it; the same one if nothing has.
    mutating func composition(of root: Composition) throws(TreeError) -> Composition {
        // Without recursion: files may be mounted in each other without end to their depth.
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
        try note(Composition(old.source, parts: parts, names: names, limits: limits, sharing: old), for: old)
    }

    private mutating func note(_ new: Composition, for old: Composition) {
        known[ObjectIdentifier(old)] = new
        made.append((old, new))
    }
}
