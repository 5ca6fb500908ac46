import PropertyLists

@testable import Levels

/// Comparing an edited tree with one that was built, beyond what their hashes cover.
enum LevelComparison {
    /// What first differs in two trees; nil if nothing does.
    ///
    /// - Parameter known: levels that need no look, since they were compared before.
    static func difference(
        _ edited: Level, _ built: Level, known: Set<ObjectIdentifier> = [], path: String = ""
    ) -> String? {
        guard !known.contains(ObjectIdentifier(edited)) else { return nil }
        if let own = difference(ofAlone: edited, built) ?? lookup(in: edited) { return "\(path): \(own)" }
        for row in 0..<built.rowCount {
            switch (edited.child(row), built.child(row)) {
            case (nil, nil): continue
            case (let one?, let other?):
                if let found = difference(one, other, known: known, path: "\(path)/\(row)") { return found }
            default: return "\(path)/\(row): only one has a level"
            }
        }
        return nil
    }

    private static func difference(ofAlone one: Level, _ other: Level) -> String? {
        if one.bytes != other.bytes { return "bytes \(keys(one)), not \(keys(other))" }
        if one.hash != other.hash || one.ownHash != other.ownHash { return "hashes" }
        if one.allSections != other.allSections { return "sections \(one.allSections), not \(other.allSections)" }
        let counts = [one, other].map { level in
            [
                level.count, level.rowCount, level.itemCount, Int(level.hiddenItemCount), Int(level.height),
                level.children.count, Int(level.form.rawValue), level.holdsTextBeyondXML ? 1 : 0,
                level.rowsHoldTextBeyondXML ? 1 : 0, level.holdsParts ? 1 : 0, level.rowsHoldParts ? 1 : 0,
            ]
        }
        return counts[0] == counts[1] ? nil : "counts \(counts[0]), not \(counts[1])"
    }

    private static func keys(_ level: Level) -> [String] {
        (0..<level.rowCount).map { level.key($0) }
    }

    /// A row that is not found by its key.
    private static func lookup(in level: Level) -> String? {
        for row in 0..<level.count {
            let bytes = level.bytes
            let key = bytes.span.extracting(level.row(row).key)
            guard level.row(withKey: key) == row, level.row(withKeyHash: ContentHash.short(of: key)) == row else {
                return "row \(row) is not found by its key"
            }
        }
        return level.row(withKey: Array("no such key".utf8).span) == nil ? nil : "a key that is not there is found"
    }

    /// All levels of a tree.
    static func levels(of document: Level) -> Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = []
        var waiting = [document]
        while let level = waiting.popLast() {
            if found.insert(ObjectIdentifier(level)).inserted { waiting += level.children.compactMap { $0 } }
        }
        return found
    }
}

extension Item {
    /// The item at a path of row numbers.
    init(_ path: [Int], in document: Level) {
        var steps = [Step(level: document, row: 0)]
        for row in path {
            let own = steps[steps.count - 1]
            guard let level = own.level.child(own.row) else { preconditionFailure("there is no row \(row)") }
            steps.append(Step(level: level, row: row))
        }
        self.init(steps)
    }
}
