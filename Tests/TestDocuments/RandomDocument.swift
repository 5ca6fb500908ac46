import PropertyLists

/// Random property lists: values of any type, and documents of items in every way that the manual allows.
struct RandomDocument {
    /// The allowed content, because some formats cannot represent everything.
    struct Contents: OptionSet {
        let rawValue: Int
        static let dates = Contents(rawValue: 1)
        static let data = Contents(rawValue: 2)
        static let uids = Contents(rawValue: 4)
        /// Reals that are not finite.
        static let nonfinite = Contents(rawValue: 8)
        static let textBeyondXML = Contents(rawValue: 16)
        static let repeatedKeys = Contents(rawValue: 32)
        /// `SectionKeys`, after which sections stand in another order than in the document.
        static let sectionKeys = Contents(rawValue: 64)
        /// What Foundation does not carry through XML: U+FEFF first in a text, carriage returns, negative zero.
        static let lostByFoundation = Contents(rawValue: 128)
        /// Dates with parts of a second.
        static let fractions = Contents(rawValue: 256)
        /// `SortBy` and `GroupBy`, after which rows stand in another order than in the document.
        static let orders = Contents(rawValue: 512)
        static let json: Contents = [.textBeyondXML, .repeatedKeys, .sectionKeys, .lostByFoundation]
        static let foundation: Contents = [.dates, .data, .nonfinite, .repeatedKeys, .sectionKeys]
        static let xml: Contents = [.foundation, .lostByFoundation]
        static let binary: Contents = [.xml, .uids, .textBeyondXML, .fractions]
    }

    var generator: SeededGenerator
    let contents: Contents

    init(seed: UInt64, _ contents: Contents) {
        generator = SeededGenerator(seed: seed)
        self.contents = contents
    }

    mutating func text() -> String {
        let text = OddText.random(beyondXML: contents.contains(.textBeyondXML), using: &generator)
        guard !contents.contains(.lostByFoundation) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FEFF}" && $0 != "\r" }))
    }

    // MARK: Values of any type

    mutating func value(depth: Int) -> Value {
        switch generator.below(depth > 0 ? 12 : 9) {
        case 0...2: .string(text())
        case 3: .integer(integer())
        case 4: .real(real())
        case 5: .boolean(generator.one(in: 2))
        case 6 where contents.contains(.dates): .date(date())
        case 7 where contents.contains(.data): .data((0..<generator.below(70)).map { _ in UInt8(generator.below(256)) })
        case 8 where contents.contains(.uids): .uid(integer().magnitude)
        case 9, 10: .array((0..<generator.below(4)).map { _ in value(depth: depth - 1) })
        case 11:
            .dictionary(withRepeats((0..<generator.below(4)).map { _ in Value.Entry(text(), value(depth: depth - 1)) }))
        default: .string(text())
        }
    }

    private mutating func integer() -> PropertyListInteger {
        switch generator.below(5) {
        case 0: PropertyListInteger(Int64(generator.below(300) - 150))
        case 1: PropertyListInteger(Int64(truncatingIfNeeded: generator.next()))
        case 2: PropertyListInteger(generator.next())
        case 3: PropertyListInteger([Int64.min, .max, 0, 1 << 53 + 1, -1 << 31][generator.below(5)])
        default: PropertyListInteger([UInt64.max, 1 << 63, 1 << 32, 255, 65_536][generator.below(5)])
        }
    }

    private mutating func real() -> Double {
        switch generator.below(5) {
        case 0: return Double(generator.below(2_000)) / 8
        case 1:
            return [
                0, contents.contains(.lostByFoundation) ? -0.0 : 2.5, 0.1, 1e21, .leastNonzeroMagnitude,
                .greatestFiniteMagnitude, -1e-7, 1.0,
            ][
                generator.below(8)]
        case 2 where contents.contains(.nonfinite): return [Double.nan, .infinity, -.infinity][generator.below(3)]
        default:
            let value = Double(bitPattern: generator.next())
            return value.isFinite ? value : 0.5
        }
    }

    private mutating func date() -> Double {
        let isFractional = contents.contains(.fractions) && generator.one(in: 3)
        let whole = Double(generator.below(4_000_000_000)) - 2_000_000_000
        return isFractional ? whole + Double(generator.below(1_000_000)) / 1_000_000 : whole
    }

    private static let structure: Set = [
        "Key", "Children", "Rows", "Sections", "SectionKeys", "SectionTitles", "Source", "SortBy", "GroupBy",
    ]

    /// The entries, at times with an earlier one of the same key for one of them.
    private mutating func withRepeats(_ entries: [Value.Entry]) -> [Value.Entry] {
        var seen: Set<String> = []
        var entries = entries.filter { seen.insert($0.key).inserted }
        guard contents.contains(.repeatedKeys), !entries.isEmpty, generator.one(in: 4) else { return entries }
        let place = generator.below(entries.count)
        let key = entries[place].key
        guard !Self.structure.contains(key) else { return entries }
        let entry = Value.Entry(key, key == "Title" ? title() : value(depth: 0))
        entries.insert(entry, at: generator.below(place + 1))
        return entries
    }
}

// MARK: Documents of items

extension RandomDocument {
    mutating func document() -> Value {
        if generator.one(in: 4) { return .array(generator.one(in: 3) ? sections(depth: 4) : items(depth: 4)) }
        var entries = fields()
        if generator.one(in: 2) { entries.append(Value.Entry("Title", title())) }
        if generator.one(in: 5) { entries.append(Value.Entry("Key", .string(text()))) }
        return .dictionary(withLevel(entries, depth: 4))
    }

    private mutating func items(depth: Int) -> [Value] {
        let count = generator.one(in: 8) ? 20 + generator.below(20) : generator.below(6)
        let first = generator.below(1_000)
        return (0..<count).map { item(number: first + $0, depth: count > 6 ? 0 : depth) }
    }

    /// An item with fields, at times with levels below it.
    mutating func item(number: Int, depth: Int) -> Value {
        if generator.one(in: 3) { return .string(text()) }
        var entries = fields()
        let hasKey = generator.one(in: 4)
        if !hasKey || generator.one(in: 2) { entries.append(Value.Entry("Title", title())) }
        if hasKey {
            // No other row may have it, in whatever way texts are made.
            entries.append(Value.Entry("Key", .string("<key \(number) \(text())>")))
        }
        if generator.one(in: 8) { entries.append(Value.Entry("Source", .string(text()))) }
        if depth > 0, generator.one(in: 2) { entries = withLevel(entries, depth: depth) }
        entries.shuffle(using: &generator)
        return .dictionary(withRepeats(entries))
    }

    private mutating func title() -> Value {
        switch generator.below(8) {
        case 0: .integer(PropertyListInteger(Int64(generator.below(50) - 25)))
        case 1: .real(Double(generator.below(100)) / 4)
        case 2 where contents.contains(.dates): .date(date())
        case 3: .boolean(generator.one(in: 2))
        default: .string(text())
        }
    }

    /// Fields with names that are not structural.
    private mutating func fields() -> [Value.Entry] {
        let cell = ["Subtitle", "Image", "Kind", "View", "Tag", "Value", "Type", "Text", "Price"]
        var seen: Set<String> = ["Title", "Children", "Key", "Source"]
        return (0..<generator.below(4)).compactMap { _ in
            let name = generator.one(in: 2) ? cell[generator.below(cell.count)] : text()
            return seen.insert(name).inserted ? Value.Entry(name, value(depth: 2)) : nil
        }
    }

    // MARK: Levels

    private mutating func withLevel(_ entries: [Value.Entry], depth: Int) -> [Value.Entry] {
        var entries = entries
        switch generator.below(6) {
        case 0:
            entries.append(Value.Entry("Children", .array(sections(depth: depth))))
            if generator.one(in: 2) { entries.append(Value.Entry("SectionTitles", .array(titles()))) }
        case 1:
            let list = (0..<generator.below(4)).map { _ in sectionDictionary(depth: depth) }
            entries.append(Value.Entry("Sections", .array(list)))
            if generator.one(in: 2) { entries.append(Value.Entry("SectionTitles", .array(titles()))) }
        case 2: entries += namedSections(depth: depth)
        case 3: entries.append(Value.Entry("Rows", .array(items(depth: depth - 1))))
        default: entries.append(Value.Entry("Children", .array(items(depth: depth - 1))))
        }
        if contents.contains(.orders) { entries += order() }
        return entries
    }

    mutating func order() -> [Value.Entry] {
        var order: [Value.Entry] = []
        let sorts = ["Title", "-Title", "Subtitle,-Tag", "-Text", "Key", "Nowhere", ""]
        if generator.one(in: 3) { order.append(.init("SortBy", .string(sorts[generator.below(sorts.count)]))) }
        let groups = ["initial", "Kind", "Tag", "Title", ""]
        if generator.one(in: 3) { order.append(.init("GroupBy", .string(groups[generator.below(groups.count)]))) }
        return order
    }

    private mutating func titles() -> [Value] { (0..<generator.below(4)).map { _ in title() } }

    /// At least one: without any it would be an empty list of items.
    private mutating func sections(depth: Int) -> [Value] {
        let first = generator.below(1_000)
        return (0...generator.below(3)).map { number in rows(from: first + number * 100, depth: depth) }
    }

    private mutating func rows(from first: Int, depth: Int) -> Value {
        .array((0..<generator.below(4)).map { item(number: first + $0, depth: depth - 1) })
    }

    private mutating func sectionDictionary(depth: Int) -> Value {
        let first = generator.below(1_000_000_000) * 100
        if generator.one(in: 4) { return rows(from: first, depth: depth) }
        var entries = [Value.Entry("Color", value(depth: 1))]
        if generator.one(in: 2) { entries.append(Value.Entry("Title", title())) }
        if generator.one(in: 3) { entries.append(Value.Entry("Index", title())) }
        if generator.one(in: 3) { entries.append(Value.Entry("Footer", title())) }
        if !generator.one(in: 5) {
            entries.append(Value.Entry(generator.one(in: 2) ? "Rows" : "Children", rows(from: first, depth: depth)))
        }
        entries.shuffle(using: &generator)
        return .dictionary(entries)
    }

    private mutating func namedSections(depth: Int) -> [Value.Entry] {
        var seen: Set<String> = []
        let names = (0...generator.below(4)).map { _ in text() }.filter { seen.insert($0).inserted }
        var list = names.enumerated().map { Value.Entry($1, rows(from: $0 * 100, depth: depth)) }
        if contents.contains(.repeatedKeys), generator.one(in: 3) {
            list.insert(Value.Entry(names[generator.below(names.count)], rows(from: 900, depth: depth)), at: 0)
        }
        var entries = [Value.Entry("Sections", .dictionary(list))]
        if contents.contains(.sectionKeys), generator.one(in: 2) {
            let listed = names.shuffled(using: &generator).prefix(generator.below(names.count + 1))
            entries.append(Value.Entry("SectionKeys", .array(listed.map(Value.string))))
        }
        return entries
    }
}
