/// Composes a document of several files anew after the source of one was edited.
struct Recomposition {
    private let editor: TreeEditor
    private var known: [ObjectIdentifier: Composition] = [:]
    /// The compositions that another one replaces.
    private(set) var made: [(old: Composition, new: Composition)] = []

    init(_ editor: TreeEditor) { self.editor = editor }

    /// Composes the file that was edited.
    mutating func replace(_ old: Composition, with source: Level) throws(TreeError) {
        try note(Composition(source, parts: old.parts, editor: editor, sharing: old), for: old)
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
        try note(Composition(old.source, parts: parts, editor: editor, sharing: old), for: old)
    }

    private mutating func note(_ new: Composition, for old: Composition) {
        known[ObjectIdentifier(old)] = new
        made.append((old, new))
    }
}
