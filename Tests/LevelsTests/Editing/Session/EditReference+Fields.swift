import Foundation
import PropertyLists

@testable import Levels
@testable import TestDocuments

/// Edits of fields.
extension EditReference {
    mutating func patch(_ changes: Value, of shown: Item, isExact: Bool, in built: Built) throws {
        let place = place(shown, in: built)
        guard case .dictionary(let changes) = changes else { throw Refused(.invalid) }
        try refuseStructure(changes)
        let old = try own(place)
        let new = Value.merged(changes, into: old, isExact: isExact)
        if Value.dictionary(new).holdsNull { throw Refused(.invalid) }
        try change(place, to: new)
    }

    mutating func put(_ item: Value, of shown: Item, isExact: Bool, in built: Built) throws {
        let place = place(shown, in: built)
        var new = try Self.fields(of: item)
        try refuseStructure(new)
        let old = try own(place)
        // An item whose rows are in another file may lack a title.
        if shown.depth > 0, !new.contains(where: { ["Title", "Key", "Source"].contains($0.key) }) {
            throw Refused(.invalid, .conflict)
        }
        if !new.contains(where: { $0.key == "Key" }), let key = old.first(where: { $0.key == "Key" }) {
            new.append(key)
        }
        if !isExact { new = Value.dictionary(new).fitted(to: .dictionary(old)).entries }
        try change(place, to: new)
    }

    /// Makes an item with a key; returns its rows.
    mutating func make(_ item: Value, keyed key: String, below shown: Item, in built: Built) throws -> [Int] {
        var fields = try Self.fields(of: item)
        try refuseStructure(fields)
        // URLs cannot contain `.` and `..` as segments.
        if [".", ".."].contains(key) { throw Refused(.invalid, .conflict) }
        if case .string(let own)? = fields.first(where: { $0.key == "Key" })?.value {
            guard String(decoding: ItemKey.natural(Array(own.utf8).span), as: UTF8.self) == key else {
                throw Refused(.invalid, .conflict)
            }
        }
        var copy = self
        let path = try copy.insert(item, below: shown, at: .last, section: nil, in: built)
        let document = try copy.built().composition.document
        guard let made = Item(rowPath: path, in: document), made.own.level.key(made.own.row) != key else {
            self = copy
            return path
        }
        fields = fields.filter { $0.key != "Key" } + [Value.Entry("Key", .string(key))]
        return try insert(.dictionary(fields), below: shown, at: .last, section: nil, in: built)
    }

    private func own(_ place: Place) throws -> [Value.Entry] {
        switch value(place) {
        case .dictionary(let entries): return entries.filter { !Value.structureNames.contains($0.key) }
        case .array: throw Refused(.conflict)
        case let title: return [Value.Entry("Title", title)]
        }
    }

    private static func fields(of item: Value) throws -> [Value.Entry] {
        switch item {
        case _ where item.holdsNull: throw Refused(.invalid, .conflict)
        case .dictionary(let entries): return entries
        case .string: return [Value.Entry("Title", item)]
        default: throw Refused(.invalid, .conflict)
        }
    }

    private func refuseStructure(_ entries: [Value.Entry]) throws {
        if entries.contains(where: { Value.structureNames.contains($0.key) || $0.key == "Records" }) {
            throw Refused(.invalid, .conflict)
        }
    }

    /// Fields that were there keep their places, and new ones follow the last of them.
    private mutating func change(_ place: Place, to new: [Value.Entry]) throws {
        let given = new
        let new = Value.dictionary(new).held(by: syntax).entries
        files[place.file]?.change(place.path) { item in
            var old = [Value.Entry("Title", item)]
            if case .dictionary(let entries) = item { old = entries }
            if case .string = item, new.count == 1, new[0].key == "Title", case .string = given[0].value {
                item = new[0].value
                return
            }
            let own = old.filter { !Value.structureNames.contains($0.key) }
            let added = new.filter { entry in !own.contains { $0.key == entry.key } }
            var entries = own.isEmpty ? added : []
            for entry in old {
                if Value.structureNames.contains(entry.key) {
                    entries.append(entry)
                } else if let value = new.first(where: { $0.key == entry.key }) {
                    entries.append(value)
                }
                if entry.key == own.last?.key { entries += added }
            }
            item = .dictionary(entries)
        }
    }
}

extension Value {
    /// JSON's `null`, which no document has.
    static let null = Value.string("\u{F8FF} null")

    var entries: [Entry] {
        if case .dictionary(let entries) = self { entries } else { [] }
    }

    var holdsNull: Bool {
        switch self {
        case .array(let values): values.contains(where: \.holdsNull)
        case .dictionary(let entries): entries.contains { $0.value.holdsNull }
        default: self == .null
        }
    }

    /// RFC 7396, with the types of the previous values.
    static func merged(_ changes: [Entry], into old: [Entry], isExact: Bool) -> [Entry] {
        var result = old
        for change in changes {
            let place = result.firstIndex { $0.key == change.key }
            let before = place.map { result[$0].value }
            if change.value == .null {
                if let place { result.remove(at: place) }
                continue
            }
            var value = change.value
            var isUID = false
            if case .uid? = before { isUID = true }
            if case .dictionary(let below) = value, !isUID {
                value = .dictionary(merged(below, into: before?.entries ?? [], isExact: isExact))
            } else if let before, !isExact {
                value = value.fitted(to: before)
            }
            if let place { result[place] = Entry(change.key, value) } else { result.append(Entry(change.key, value)) }
        }
        return result
    }

    func fitted(to old: Value) -> Value {
        switch (old, self) {
        case (.date(let seconds), .string(let text)):
            if text == JSONText.date(seconds) { return old }
            let formatter = ISO8601DateFormatter()
            return formatter.date(from: text).map { .date($0.timeIntervalSinceReferenceDate) } ?? self
        case (.data, .string(let text)): return Data(base64Encoded: text).map { .data(Array($0)) } ?? self
        case (.real, .integer(let value)):
            let number = Double(value.description) ?? 0
            return number == 0x1p64 || Decimal(number) != Decimal(string: value.description) ? self : .real(number)
        case (.real, .string("nan")): return .real(.nan)
        case (.real, .string("+infinity")): return .real(.infinity)
        case (.real, .string("-infinity")): return .real(-.infinity)
        case (.uid, .dictionary(let entries)):
            guard entries.count == 1, entries[0].key == "CF$UID", case .integer(let number) = entries[0].value,
                !number.isNegative
            else { return self }
            return .uid(number.magnitude)
        case (.dictionary(let old), .dictionary(let new)):
            let kept = old.compactMap { entry in
                new.first { $0.key == entry.key }.map { Entry(entry.key, $0.value.fitted(to: entry.value)) }
            }
            return .dictionary(kept + new.filter { entry in !old.contains { $0.key == entry.key } })
        case (.array(let old), .array(let new)):
            return .array(new.enumerated().map { $0 < old.count ? $1.fitted(to: old[$0]) : $1 })
        default: return self
        }
    }

    /// The value as a file of a syntax has it.
    func held(by syntax: PropertyListSyntax) -> Value {
        switch self {
        case .array(let values): return .array(values.map { $0.held(by: syntax) })
        case .dictionary(let entries): return .dictionary(entries.map { Entry($0.key, $0.value.held(by: syntax)) })
        case .date(let seconds) where syntax == .json: return .string(JSONText.date(seconds))
        case .date(let seconds) where syntax == .xml && seconds.rounded() != seconds:
            return .string(JSONText.date(seconds))
        case .data(let bytes) where syntax == .json: return .string(Data(bytes).base64EncodedString())
        case .real(let value) where syntax == .json && !value.isFinite: return .string(JSONText.real(value))
        default: return self
        }
    }

    /// The sections that are shown, if `SectionKeys` names them.
    var listedSections: Int? {
        guard holderName == "Sections",
            case .array(let names)? = entries.first(where: { $0.key == "SectionKeys" })?.value,
            case .dictionary? = entries.first(where: { $0.key == "Sections" })?.value
        else { return nil }
        return names.count
    }

    /// The same document under other structural names.
    func renamed(_ names: StructuralNames) -> Value {
        guard names != StructuralNames() else { return self }
        switch self {
        case .array(let values): return .array(values.map { $0.renamed(names) })
        case .dictionary(let entries):
            let table = [
                "Title": names[.title], "Key": names[.key], "Children": names[.children],
                "Rows": Array(names[.children].reversed()), "Sections": names[.sections],
                "SectionKeys": names[.sectionKeys], "SectionTitles": names[.sectionTitles],
            ]
            return .dictionary(
                entries.map { entry in
                    let name = table[entry.key]?.first ?? entry.key
                    guard entry.key == "Sections", case .dictionary(let named) = entry.value else {
                        return Entry(name, entry.value.renamed(names))
                    }
                    return Entry(name, .dictionary(named.map { Entry($0.key, $0.value.renamed(names)) }))
                })
        default: return self
        }
    }

    /// The value as the body of a request, with `null`.
    var body: PropertyListValue {
        switch self {
        case .null: return .null
        case .string(let text): return .string(text)
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .boolean(let value): return .boolean(value)
        case .date(let seconds): return .date(seconds)
        case .data(let bytes): return .data(bytes)
        case .uid(let value): return .uid(value)
        case .array(let values): return .array(values.map(\.body))
        case .dictionary(let entries):
            return .dictionary(PropertyListDictionary(entries.map { .init(key: $0.key, value: $0.value.body) }))
        }
    }
}
