internal import Bytes
internal import PropertyLists

/// Property-list types that JSON cannot tell, found by the value that is replaced.
extension PropertyListValue {
    /// The same value in the type of an old one if it can be read as that: a date from RFC 3339, data from base64, a
    /// real from an integer; within dictionaries by key, and within arrays by position.
    func fitted(to old: PropertyListValue, nesting: Int = 0) -> PropertyListValue {
        guard nesting < MergePatch.mostNesting else { return self }
        switch (old, self) {
        case (.date(let seconds), .string(let text)): return Self.date(text, as: seconds) ?? self
        case (.data, .string(let text)): return Base64Text.bytes(text).map { .data($0) } ?? self
        case (.real, .integer(let value)):
            return .real(value.isNegative ? -Double(value.magnitude) : Double(value.magnitude))
        case (.real, .string("nan")): return .real(.nan)
        case (.real, .string("+infinity")): return .real(.infinity)
        case (.real, .string("-infinity")): return .real(-.infinity)
        case (.uid, .dictionary(let entries)): return Self.uid(entries) ?? self
        case (.dictionary(let old), .dictionary(let new)): return .dictionary(new.fitted(to: old, nesting: nesting + 1))
        case (.array(let old), .array(let new)):
            return .array(
                new.enumerated().map { number, value in
                    number < old.count ? value.fitted(to: old[number], nesting: nesting + 1) : value
                })
        default: return self
        }
    }

    private static func date(_ text: String, as old: Double) -> PropertyListValue? {
        if text == JSONText.date(old) { return .date(old) }
        let bytes = Array(text.utf8)
        // A day alone is a date for a condition, but not RFC 3339.
        guard bytes.count > 10, let seconds = Moment.seconds(bytes.span), CivilDate.secondsRange.contains(seconds)
        else { return nil }
        return .date(seconds)
    }

    private static func uid(_ entries: PropertyListDictionary) -> PropertyListValue? {
        guard entries.entries.count == 1, case .integer(let number)? = entries["CF$UID"], !number.isNegative else {
            return nil
        }
        return .uid(number.magnitude)
    }
}

extension PropertyListDictionary {
    /// The entries, each fitted to the one of its key; those that were there keep their order.
    func fitted(to old: PropertyListDictionary, nesting: Int = 0) -> PropertyListDictionary {
        let kept: [Entry] = old.entries.compactMap { entry in
            self[entry.key].map { Entry(key: entry.key, value: $0.fitted(to: entry.value, nesting: nesting)) }
        }
        return PropertyListDictionary(kept + entries.filter { old[$0.key] == nil })
    }
}
