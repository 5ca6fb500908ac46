internal import Bytes
import DrilldownDates
internal import PropertyLists

/// The entries of an item's dictionary, in order: the item's own fields and the structural fields.
struct ItemContent {
    enum Part {
        case field(PropertyListDictionary.Entry)
        /// A packed structural field.
        case structure(name: [UInt8], packed: [UInt8])
    }

    private(set) var parts: [Part] = []
    /// Whether the item is written as a string.
    private(set) var isString: Bool

    /// Reads the content of an item of a file. The title of a string becomes a field.
    init(of item: Item.Step, names: StructuralNames) throws(PropertyListError) {
        let bytes = item.level.bytes
        let row = item.level.row(item.row)
        isString = row.isString
        if isString {
            let title = PropertyListValue.string(item.level.title(item.row))
            parts.append(.field(.init(key: names[.title].first ?? "Title", value: title)))
            return
        }
        for field in PackedField.all(in: row.fields, of: bytes.span) where field.tag != .control {
            if field.isStructure {
                parts.append(
                    .structure(
                        name: Array(copying: bytes.span.extracting(field.name)),
                        packed: Array(copying: bytes.span.extracting(field.value..<field.range.upperBound))))
            } else {
                let value = try PropertyListValue(packed: bytes.span, at: field.value)
                parts.append(.field(.init(key: String(utf8: bytes.span.extracting(field.name)), value: value)))
            }
        }
    }

    /// The item's own fields.
    var fields: PropertyListDictionary {
        PropertyListDictionary(
            parts.compactMap { part in
                if case .field(let entry) = part { entry } else { nil }
            })
    }

    /// Whether the item has a place for a level.
    var hasPlace: Bool {
        parts.contains { part in
            if case .structure(_, let packed) = part { packed.first == PackedTag.hole.rawValue } else { false }
        }
    }

    /// Adds an empty place for rows.
    mutating func addPlace(_ names: StructuralNames) {
        isString = false
        let packed = [PackedTag.hole.rawValue, LevelForm.rows.rawValue]
        parts.append(.structure(name: Array(names.newLevelName(.rows).utf8), packed: packed))
    }

    /// Returns the content with the item's own fields replaced. A field whose name existed before keeps its place. The
    /// other fields follow the last of the former fields.
    func replacing(fields new: PropertyListDictionary, names: StructuralNames) -> ItemContent {
        let old = fields
        var content = self
        let last = parts.lastIndex { part in
            if case .field = part { true } else { false }
        }
        let added = new.entries.filter { old[$0.key] == nil }.map { Part.field($0) }
        content.parts = last == nil ? added : []
        for (number, part) in parts.enumerated() {
            switch part {
            case .structure: content.parts.append(part)
            case .field(let entry):
                if let value = new[entry.key] { content.parts.append(.field(.init(key: entry.key, value: value))) }
            }
            if number == last { content.parts += added }
        }
        content.isString = isString && new.isTitleAlone(names)
        return content
    }
}

extension PropertyListDictionary {
    /// Whether the only field is a title, so that a string suffices.
    fileprivate func isTitleAlone(_ names: StructuralNames) -> Bool {
        guard entries.count == 1, entries[0].key == names[.title].first, case .string = entries[0].value else {
            return false
        }
        return true
    }
}

/// JSON merge patches (RFC 7396) of an item's fields.
enum MergePatch {
    /// The maximum nesting of a patch. The nesting is limited because patches are applied by recursion.
    static let mostNesting = 512

    /// Returns the fields after a patch. Fields that existed before keep their places.
    ///
    /// - Parameters:
    ///   - isExact: whether the values of the patch keep their types; if not, each value is fitted to the value that it
    ///     replaces.
    ///   - pointer: the JSON pointer to the patch.
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
                result[entry.key] = fitted(entry.value, to: before, isExact: isExact)
            case (.dictionary(let changes), _):
                let place = pointer + JSONPointer.step(entry.key)
                let merged = try merged(
                    changes, into: before?.dictionary ?? .init(), isExact: isExact, at: place, nesting: nesting + 1)
                result[entry.key] = .dictionary(merged)
            default: result[entry.key] = fitted(entry.value, to: before, isExact: isExact)
            }
        }
        return removed.isEmpty ? result : result.removing { removed.contains(Array($0.utf8)) }
    }

    private static func fitted(
        _ new: PropertyListValue, to old: PropertyListValue?, isExact: Bool
    ) -> PropertyListValue {
        guard let old, !isExact else { return new }
        return new.fitted(to: old)
    }
}

extension PropertyListValue {
    var dictionary: PropertyListDictionary? {
        if case .dictionary(let dictionary) = self { dictionary } else { nil }
    }
}

/// Converts JSON values to property-list types that JSON lacks, by the type of the replaced value.
extension PropertyListValue {
    /// Returns the value in the type of an old value, if that type holds the value exactly.
    ///
    /// For example, text in the form of RFC 3339 becomes a date, base64 becomes data, and an integer becomes a real.
    /// The values in dictionaries are fitted by key, and the values in arrays by position.
    func fitted(to old: PropertyListValue, nesting: Int = 0) -> PropertyListValue {
        guard nesting < MergePatch.mostNesting else { return self }
        switch (old, self) {
        case (.date(let seconds), .string(let text)): return Self.date(text, as: seconds) ?? self
        case (.data, .string(let text)): return Base64Text.bytes(text).map { .data($0) } ?? self
        case (.real, .integer(let value)):
            return Double(exactly: value.magnitude).map { .real(value.isNegative ? -$0 : $0) } ?? self
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
        // `Timestamp` also accepts a day without a time, for conditions. RFC 3339 does not.
        guard bytes.count > 10, let seconds = Timestamp.seconds(bytes), CivilDate.secondsRange.contains(seconds),
            fraction(text) == fraction(JSONText.date(seconds))
        else { return nil }
        return .date(seconds)
    }

    /// The digits of a moment's fraction of a second, without zeros at the end.
    private static func fraction(_ text: String) -> Substring {
        let digits = text.drop { $0 != "." }.dropFirst().prefix { $0.isNumber }
        return digits.dropLast(digits.reversed().prefix { $0 == "0" }.count)
    }

    private static func uid(_ entries: PropertyListDictionary) -> PropertyListValue? {
        guard entries.entries.count == 1, case .integer(let number)? = entries["CF$UID"], !number.isNegative else {
            return nil
        }
        return .uid(number.magnitude)
    }
}

extension PropertyListDictionary {
    /// Returns the entries, each fitted to the old entry with the same key. Entries that existed before keep their
    /// order.
    func fitted(to old: PropertyListDictionary, nesting: Int = 0) -> PropertyListDictionary {
        let kept: [Entry] = old.entries.compactMap { entry in
            self[entry.key].map { Entry(key: entry.key, value: $0.fitted(to: entry.value, nesting: nesting)) }
        }
        return PropertyListDictionary(kept + entries.filter { old[$0.key] == nil })
    }
}
