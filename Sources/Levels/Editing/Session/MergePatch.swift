internal import PropertyLists

/// JSON merge patches (RFC 7396) of an item's fields.
enum MergePatch {
    /// Nesting beyond this is refused, because a patch is applied by recursion.
    static let mostNesting = 512

    /// The fields after a patch; those that are there keep their places.
    ///
    /// - Parameters:
    ///   - isExact: whether values are taken as they are; if not, they are fitted to those that they replace.
    ///   - pointer: the place of the patch.
    static func merged(
        _ patch: PropertyListDictionary, into old: PropertyListDictionary, isExact: Bool, at pointer: String = "",
        nesting: Int = 0
    ) throws(EditRefusal) -> PropertyListDictionary {
        guard nesting < mostNesting else {
            throw .invalid("a merge patch must not nest deeper than \(mostNesting) objects", at: pointer)
        }
        var result = old
        var removed: Set<[UInt8]> = []
        for entry in patch.entries {
            let before = old[entry.key]
            switch (entry.value, before) {
            case (.null, _): if before != nil { removed.insert(Array(entry.key.utf8)) }
            case (.dictionary(let changes), .uid) where changes["CF$UID"].map({ $0 != .null }) ?? false:
                result[entry.key] = fitted(entry.value, to: before, isExact)
            case (.dictionary(let changes), _):
                let place = pointer + JSONPointer.step(entry.key)
                let merged = try merged(
                    changes, into: before?.dictionary ?? .init(), isExact: isExact, at: place, nesting: nesting + 1)
                result[entry.key] = .dictionary(merged)
            default: result[entry.key] = fitted(entry.value, to: before, isExact)
            }
        }
        return removed.isEmpty ? result : result.removing { removed.contains(Array($0.utf8)) }
    }

    private static func fitted(
        _ new: PropertyListValue, to old: PropertyListValue?, _ isExact: Bool
    ) -> PropertyListValue {
        guard let old, !isExact else { return new }
        return new.fitted(to: old)
    }
}

extension PropertyListValue {
    /// The entries of a dictionary; nil for any other value.
    var dictionary: PropertyListDictionary? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }
}
