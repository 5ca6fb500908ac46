import DrilldownDates
internal import PropertyLists

/// Decodes the values in the column `fields`. The values are JSON, in which dictionaries with one key stand for the
/// types that JSON lacks.
extension PropertyListValue {
    /// The value that a JSON value stands for; `null` stays as it is.
    ///
    /// - Throws: `PropertyListError` for an unknown type, or for text that does not fit its type.
    func decoded() throws(PropertyListError) -> PropertyListValue {
        switch self {
        case .array(let values):
            var decoded: [PropertyListValue] = []
            decoded.reserveCapacity(values.count)
            for value in values { decoded.append(try value.decoded()) }
            return .array(decoded)
        case .dictionary(let dictionary):
            if dictionary.entries.count == 1, let entry = dictionary.entries.first,
                let typed = try Self.typed(entry.key, entry.value)
            {
                return typed
            }
            return .dictionary(try dictionary.decoded())
        default: return self
        }
    }

    /// The value that a dictionary with one key stands for; nil if the dictionary is an author's own.
    private static func typed(
        _ key: String, _ value: PropertyListValue
    ) throws(PropertyListError) -> PropertyListValue? {
        switch (key, value) {
        case ("CF$UID", .integer(let number)) where !number.isNegative: return .uid(number.magnitude)
        case ("$dict", .dictionary(let dictionary)): return .dictionary(try dictionary.decoded())
        case ("$date", .string(let text)):
            guard text.utf8.count > 10, let seconds = Timestamp.seconds(Array(text.utf8)),
                CivilDate.secondsRange.contains(seconds)
            else { break }
            return .date(seconds)
        case ("$data", .string(let text)): if let bytes = Base64Text.bytes(text) { return .data(bytes) }
        case ("$real", .string("nan")): return .real(.nan)
        case ("$real", .string("+infinity")), ("$real", .string("infinity")): return .real(.infinity)
        case ("$real", .string("-infinity")): return .real(-.infinity)
        default: break
        }
        guard key.hasPrefix("$") else { return nil }
        throw PropertyListError(
            reason:
                "'\(quoted: key)' is not a type with this value; write {\"$date\":\"2001-03-12T00:00:00Z\"}, {\"$data\":\"base64\"}, {\"$real\":\"nan\"}, or {\"$dict\":{…}} around a dictionary whose key begins with '$'"
        )
    }
}

extension PropertyListDictionary {
    fileprivate func decoded() throws(PropertyListError) -> PropertyListDictionary {
        var entries: [Entry] = []
        entries.reserveCapacity(self.entries.count)
        for entry in self.entries { entries.append(Entry(key: entry.key, value: try entry.value.decoded())) }
        return PropertyListDictionary(entries)
    }
}
