import Foundation
import PropertyLists

@testable import TestDocuments

/// The manual's description of an item, made from the document's value by plain code.
final class OracleItem {
    let title: String
    /// The value of its `Key`.
    let explicitKey: String?
    /// The content of a detail.
    let fields: [Value.Entry]
    let sections: [OracleSection]
    var key = ""
    weak var parent: OracleItem?
    var index = 0

    var rows: [OracleItem] { sections.flatMap(\.rows) }
    var isLeaf: Bool { rows.isEmpty }

    /// - Parameter isRoot: whether it is the document itself, which may be an array, and may go without a title.
    init(_ value: Value, isRoot: Bool = false) {
        switch value {
        case .string(let text):
            title = text
            explicitKey = nil
            fields = [Value.Entry("Title", value)]
            sections = []
        case .array(let values):
            title = "Root"
            explicitKey = nil
            fields = []
            sections = OracleSection.shown(OracleSection.list(values, titles: []))
        case .dictionary(let repeated):
            let entries = Self.last(of: repeated)
            func entry(_ name: String) -> Value? { entries.last { $0.key == name }?.value }
            title = entry("Title").map(Self.text) ?? (isRoot ? "Root" : "")
            explicitKey = entry("Key").map(Self.text)
            let structure = ["Children", "Rows", "Sections", "SectionKeys", "SectionTitles"]
            fields = entries.filter { !structure.contains($0.key) }
            sections = OracleSection.shown(
                OracleSection.of(
                    entry("Children") ?? entry("Rows") ?? entry("Sections"), keys: entry("SectionKeys"),
                    titles: entry("SectionTitles")))
        default: fatalError("no item: \(value)")
        }
        giveKeys()
    }

    /// Of entries with one key the last, where it stands.
    static func last(of entries: [Value.Entry]) -> [Value.Entry] {
        entries.indices.filter { index in
            !entries[(index + 1)...].contains { $0.key.utf8.elementsEqual(entries[index].key.utf8) }
        }.map { entries[$0] }
    }

    /// A title, number, date or truth value as text.
    static func text(_ value: Value) -> String {
        switch value {
        case .string(let text): text
        case .integer(let value): value.description
        case .real(let value): "\(value)"
        case .boolean(let value): "\(value)"
        case .date(let seconds): OracleJSON.date(seconds)
        default: fatalError("no text: \(value)")
        }
    }

    // MARK: Keys

    private func giveKeys() {
        let rows = rows
        let naturals = rows.map(\.naturalKey)
        var given: Set<[UInt8]> = []
        for (number, row) in rows.enumerated() {
            var key = naturals[number]
            var suffix = 2
            let isFirst = !naturals[..<number].contains(key)
            while !isFirst, naturals.contains(key) || given.contains(key) {
                key = naturals[number] + Array("~\(suffix)".utf8)
                suffix += 1
            }
            given.insert(key)
            row.key = String(decoding: key, as: UTF8.self)
            row.parent = self
            row.index = number
        }
    }

    private var naturalKey: [UInt8] {
        let text = (explicitKey ?? title).precomposedStringWithCanonicalMapping
        return Array((["", ".", ".."].contains(text) ? text + "~1" : text).utf8)
    }
}

/// A run of rows under one heading.
struct OracleSection {
    var title: String?
    var index: String?
    var footer: String?
    var rows: [OracleItem]

    /// Where no section has a row there is none.
    static func shown(_ sections: [OracleSection]) -> [OracleSection] {
        sections.contains { !$0.rows.isEmpty } ? sections : []
    }

    static func of(_ holder: Value?, keys: Value?, titles: Value?) -> [OracleSection] {
        switch holder {
        case .array(let values): list(values, titles: texts(titles))
        case .dictionary(let entries): named(OracleItem.last(of: entries), keys: keys)
        default: []
        }
    }

    /// An array of items, which is one section without a heading, or of sections.
    static func list(_ values: [Value], titles: [String]) -> [OracleSection] {
        guard values.contains(where: isSection) else { return [OracleSection(rows: values.map { OracleItem($0) })] }
        return values.enumerated().map { number, value in
            guard case .dictionary(let entries) = value else {
                return OracleSection(title: number < titles.count ? titles[number] : nil, rows: items(value))
            }
            func entry(_ name: String) -> Value? { entries.last { $0.key == name }?.value }
            return OracleSection(
                title: entry("Title").map(OracleItem.text), index: entry("Index").map(OracleItem.text),
                footer: entry("Footer").map(OracleItem.text), rows: items(entry("Rows") ?? entry("Children")))
        }
    }

    /// The random documents give every dictionary that is a section a `Color`, and no item.
    private static func isSection(_ value: Value) -> Bool {
        switch value {
        case .array: true
        case .dictionary(let entries): entries.contains { $0.key == "Color" }
        default: false
        }
    }

    private static func named(_ entries: [Value.Entry], keys: Value?) -> [OracleSection] {
        let all = entries.map { OracleSection(title: $0.key, rows: items($0.value)) }
        guard let keys else { return all }
        return texts(keys).compactMap { name in all.first { $0.title?.utf8.elementsEqual(name.utf8) == true } }
    }

    private static func items(_ value: Value?) -> [OracleItem] {
        if case .array(let values) = value { values.map { OracleItem($0) } } else { [] }
    }

    private static func texts(_ value: Value?) -> [String] {
        if case .array(let values) = value { values.map(OracleItem.text) } else { [] }
    }
}
