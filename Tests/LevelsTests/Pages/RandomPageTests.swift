import Bytes
import Glibc
import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Random pages, tables and compositions whose controls and titles are replaced: every row stays whole.
///
/// `DRILLDOWN_SEEDS=100000 swift test --filter RandomPageTests` runs the long form.
@Suite("Rows that are packed again") struct RandomPageTests {
    private static let seeds: Range<UInt64> =
        0..<(unsafe getenv("DRILLDOWN_SEEDS").flatMap {
            unsafe UInt64(String(cString: $0))
        } ?? 150)

    @Test("of random settings pages keep everything but the value and the title")
    func pages() throws {
        for seed in Self.seeds {
            var random = RandomPage(seed: seed)
            guard let page = SettingsPage(try random.page().tree()) else { continue }
            try Self.replaceAll(in: page.level, &random, "seed \(seed)")
        }
    }

    @Test("of random documents with controls, tables and parts keep everything but the value and the title")
    func documents() throws {
        for seed in Self.seeds {
            var random = RandomPage(seed: seed)
            var documents = RandomDocument(seed: seed, [.binary, .repeatedKeys, .sectionKeys])
            let value = random.decorated(documents.document())
            let part = random.one(in: 2) ? random.page() : random.decorated(documents.document())
            guard let tree = try? value.tree(), let other = try? part.tree() else { continue }
            let composed = try? Composition(source: other.document, parts: [:])
            let parts = Dictionary(
                uniqueKeysWithValues: tree.parts.compactMap { mention in
                    composed.map { (mention.reference, Composition.Part.composed($0)) }
                })
            var waiting = [tree.document]
            if let whole = try? Composition(source: tree.document, parts: parts) { waiting.append(whole.document) }
            while let level = waiting.popLast() {
                try Self.replaceAll(in: level, &random, "seed \(seed)")
                waiting += level.children.compactMap(\.self)
            }
        }
    }

    private static func replaceAll(in level: Level, _ random: inout RandomPage, _ seed: Comment) throws {
        var shown = level
        for _ in 0..<2 {
            let values = random.values(for: shown)
            let before = shown
            shown = before.showing(values)
            try expect(shown, toBe: before, titled: { $0 }, showing: values, seed)
            let translation = random.translation()
            let translated = shown.translated(translation)
            try expect(
                translated, toBe: shown, titled: { $0.isEmpty ? $0 : translation($0) ?? $0 }, showing: .init(), seed)
            shown = translated
        }
    }

    /// Compares a level that was packed again with the one before, field by field.
    private static func expect(
        _ new: Level, toBe old: Level, titled title: (String) -> String, showing values: PropertyListDictionary,
        _ seed: Comment
    ) throws {
        try #require(new.rowCount == old.rowCount, seed)
        for row in 0..<new.rowCount {
            let (fields, oldFields) = (Self.fields(of: row, in: new), Self.fields(of: row, in: old))
            try #require(fields == oldFields, seed)
            try #require(new.title(row).utf8.elementsEqual(title(old.title(row)).utf8), seed)
            try #require(new.key(row).utf8.elementsEqual(old.key(row).utf8), seed)
            try #require(Self.recordNumber(of: row, in: new) == Self.recordNumber(of: row, in: old), seed)
            guard !values.entries.isEmpty, var control = old.control(ofRow: row) else { continue }
            let group = old.sectionRows(around: row)
            guard !group.contains(where: { old.control(ofRow: $0)?["choice"] != nil }) else { continue }
            if let stored = old.controlKey(ofRow: row).flatMap({ values[$0] }),
                ControlRule(of: control).objection(to: stored) == nil
            {
                control["value"] = stored
            }
            let shown = try #require(new.control(ofRow: row), seed)
            // As text, because a real that is not a number equals nothing.
            try #require("\(shown["value"], default: "-")" == "\(control["value"], default: "-")", seed)
        }
    }

    private static func recordNumber(of row: Int, in level: Level) -> Int {
        let bytes = level.bytes
        return level.row(row).recordNumber(in: bytes.span)
    }

    /// The packed fields of a row without its control.
    private static func fields(of row: Int, in level: Level) -> [[UInt8]] {
        let bytes = level.bytes
        return PackedField.all(in: level.row(row).fields, of: bytes.span)
            .filter { $0.tag != .control }.map { Array(bytes[$0.range]) }
    }
}

/// Makes specifiers, values for them, and translations of their texts.
private struct RandomPage {
    private var values: RandomDocument

    init(seed: UInt64) { values = RandomDocument(seed: seed ^ 0x5EED, [.binary, .repeatedKeys]) }

    mutating func one(in count: Int) -> Bool { values.generator.one(in: count) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[values.generator.below(elements.count)]
    }

    private static let types = [
        "PSSliderSpecifier", "PSToggleSwitchSpecifier", "PSTextFieldSpecifier", "PSTitleValueSpecifier",
        "PSMultiValueSpecifier", "PSRadioGroupSpecifier", "PSGroupSpecifier", "PSChildPaneSpecifier", "Other",
    ]

    mutating func page() -> Value {
        let specifiers = (0..<values.generator.below(9)).map { _ in specifier() }
        var entries = [Value.Entry("PreferenceSpecifiers", .array(specifiers))]
        if one(in: 3) { entries.insert(.init("Title", .string(values.text())), at: 0) }
        return .dictionary(entries)
    }

    private mutating func specifier() -> Value {
        var entries = [Value.Entry("Type", .string(pick(Self.types)))]
        if one(in: 2) { entries.append(.init("Title", one(in: 4) ? .string("") : title())) }
        entries += properties()
        entries.shuffle(using: &values.generator)
        return .dictionary(entries)
    }

    /// A value that may be a title.
    private mutating func title() -> Value { one(in: 6) ? .real(0.5) : .string(values.text()) }

    private mutating func properties() -> [Value.Entry] {
        var entries: [Value.Entry] = []
        if !one(in: 4) { entries.append(.init("Key", .string(pick(Self.keys)))) }
        for name in ["DefaultValue", "Value", "TrueValue", "FalseValue", "MinimumValue", "Tag"] where one(in: 3) {
            entries.append(.init(name, values.value(depth: 2)))
        }
        if one(in: 3) { entries.append(.init("Values", list())) }
        if one(in: 3) { entries.append(.init("Titles", list())) }
        if one(in: 9), let entry = entries.last { entries.append(.init(entry.key, values.value(depth: 1))) }
        return entries
    }

    private static let keys = ["a", "b", "c", "volume", ""]

    private mutating func list() -> Value {
        .array((0..<values.generator.below(5)).map { _ in values.value(depth: 1) })
    }

    /// The same with types, values and sources in some of its dictionaries.
    mutating func decorated(_ value: Value) -> Value {
        switch value {
        case .array(let elements): return .array(elements.map { decorated($0) })
        case .dictionary(let entries):
            var entries = entries.map { Value.Entry($0.key, decorated($0.value)) }
            let types = ["Slider", "ToggleSwitch", "TextField", "RadioGroup", "MultiValue", "Multirow", "Group"]
            if one(in: 3) { entries.insert(.init("Type", .string(pick(types))), at: 0) }
            if one(in: 3) { entries += properties().filter { $0.key != "Key" } }
            if one(in: 12) { entries.append(.init("Source", .string("part"))) }
            if one(in: 12) {
                entries.append(.init("Records", .array([.dictionary(properties()), .dictionary([])])))
                entries.append(.init("DrillBy", .array([.string(pick(["Value", "Tag", "Key"]))])))
            }
            return .dictionary(entries)
        default: return value
        }
    }

    /// Values for some of the keys of a level's controls, often shorter or longer ones of the same kind.
    mutating func values(for level: Level) -> PropertyListDictionary {
        var stored = PropertyListDictionary()
        for row in 0..<level.rowCount where !one(in: 3) {
            guard let key = level.controlKey(ofRow: row) else { continue }
            let old = level.control(ofRow: row)?["value"]
            switch values.generator.below(5) {
            case 0: stored[key] = .integer(PropertyListInteger(Int64(values.generator.below(3))))
            case 1: stored[key] = .string(one(in: 2) ? "" : values.text())
            case 2: stored[key] = .boolean(one(in: 2))
            case 3: stored[key] = old
            default: stored[key] = .real(Double(values.generator.below(9)) / 8)
            }
        }
        return stored
    }

    /// A translation that is shorter, longer, empty or missing, depending on the text.
    mutating func translation() -> (String) -> String? {
        let salt = values.generator.below(4)
        return { text in
            switch (text.utf8.reduce(salt) { $0 &+ Int($1) }) % 4 {
            case 0: nil
            case 1: ""
            case 2: String(text.prefix(1))
            default: text + text
            }
        }
    }
}
