import DrilldownClient
import Foundation

/// An item of a document in memory: its fields, and its children in sections.
struct MemoryItem: Sendable {
    /// The identity of the item while edits change its path.
    let id = UUID()
    /// The fields without the structure; for a title alone, the field `Title`.
    var fields: Fields
    /// Whether the item is a title alone.
    var isText = false
    /// Whether the item is a specifier of a settings page.
    var isSpecifier = false
    /// The reason why the children could not be read.
    var error: String?
    private(set) var children: [MemoryItem] = []
    /// The sections of the children; empty if the item has neither children nor sections with texts.
    private(set) var sections: [Section] = []
    /// The number of the section of each child.
    private(set) var sectionNumbers: [Int] = []

    /// A section, with the fields that determine the controls of its rows.
    struct Section: Sendable {
        var title: String?
        var index: String?
        var footer: String?
        var fields = Fields()
    }

    /// The names that are structure, and not fields.
    static let structure: Set = ["Children", "Rows", "Sections", "SectionKeys", "SectionTitles"]

    init(fields: Fields) { self.fields = fields }

    /// - Parameter value: the title of the item, or its fields, which may include its children.
    init(_ value: FieldValue) {
        fields = value.dictionary ?? ["Title": value]
        isText = value.text != nil
        guard let all = value.dictionary else { return }
        for name in Self.structure { fields[name] = nil }
        let titles = all["SectionTitles"]?.list ?? []
        if let sections = all["Sections"]?.dictionary {
            let names = all["SectionKeys"]?.list?.compactMap(\.text) ?? sections.names
            for name in names { add(Section(title: name), rows: sections[name]?.list ?? []) }
        } else {
            let sections = all["Sections"]?.list
            let rows = sections ?? all["Children"]?.list ?? all["Rows"]?.list ?? []
            read(rows, areSections: sections != nil || rows.allSatisfy { $0.list != nil }, titles: titles)
        }
        if children.isEmpty { sections = [] }
    }

    /// Reads the children: items, or sections of items.
    private mutating func read(_ rows: [FieldValue], areSections: Bool, titles: [FieldValue]) {
        guard areSections else { return add(Section(), rows: rows) }
        for (number, section) in rows.enumerated() {
            if let rows = section.list {
                add(Section(title: titles.indices.contains(number) ? titles[number].groupText : nil), rows: rows)
            } else if let fields = section.dictionary {
                add(Section(fields), rows: fields["Rows"]?.list ?? [])
            }
        }
    }

    private mutating func add(_ section: Section, rows: [FieldValue]) {
        add(section, items: rows.map { MemoryItem($0) })
    }

    mutating func add(_ section: Section, items: [MemoryItem]) {
        sectionNumbers += items.map { _ in sections.count }
        sections.append(section)
        children += items
    }

    /// Removes the sections that are without rows and texts.
    mutating func removeEmptySections() {
        let kept = sections.indices.filter {
            sections[$0].title != nil || sections[$0].footer != nil || sectionNumbers.contains($0)
        }
        sectionNumbers = sectionNumbers.map { kept.firstIndex(of: $0) ?? 0 }
        sections = kept.map { sections[$0] }
    }

    var title: String { fields["Title"]?.groupText ?? "" }
    /// The key of the item unless a sibling before it has the same.
    var naturalKey: String {
        if let key = fields["Key"]?.text { return key.precomposedStringWithCanonicalMapping }
        // These titles cannot be in a URL.
        return ["", ".", ".."].contains(title) ? title + "~1" : title.precomposedStringWithCanonicalMapping
    }
    var isLeaf: Bool { children.isEmpty && sections.isEmpty }
    var fieldsVersion: String { Version.text(of: fields) }

    /// The keys of the children. If several siblings would have the same key, all of them except the first get a
    /// number.
    var keys: [String] {
        let naturals = children.map(\.naturalKey)
        let reserved = Set(naturals)
        var used: Set<String> = []
        var numbers: [String: Int] = [:]
        return naturals.map { natural in
            var key = natural
            var number = numbers[natural] ?? 2
            while used.contains(key) || key != natural && reserved.contains(key) {
                key = "\(natural)~\(number)"
                number += 1
            }
            numbers[natural] = number
            used.insert(key)
            return key
        }
    }

    // MARK: Editing

    /// Inserts a child.
    ///
    /// - Parameters:
    ///   - position: the position among all children, or among those of a section.
    ///   - section: the number of the section; nil for the last one.
    /// - Returns: the position among all children; nil if it does not exist.
    mutating func insert(_ item: MemoryItem, at position: Edit.Position, section: Int?) -> Int? {
        if sections.isEmpty { sections = [Section()] }
        let keyed: Int? =
            switch position {
            case .before(let key): keys.firstIndex(of: key)
            case .after(let key): keys.firstIndex(of: key)
            default: nil
            }
        let number = section ?? keyed.map { sectionNumbers[$0] } ?? sections.count - 1
        guard sections.indices.contains(number) else { return nil }
        let start = sectionNumbers.firstIndex { $0 >= number } ?? children.count
        let count = sectionNumbers.filter { $0 == number }.count
        let index: Int? =
            switch position {
            case .first: start
            case .last: start + count
            case .index(let index): (0...count).contains(index) ? start + index : nil
            case .before: keyed.flatMap { sectionNumbers[$0] == number ? $0 : nil }
            case .after: keyed.flatMap { sectionNumbers[$0] == number ? $0 + 1 : nil }
            }
        guard let index else { return nil }
        children.insert(item, at: index)
        sectionNumbers.insert(number, at: index)
        return index
    }

    mutating func removeChild(at index: Int) {
        children.remove(at: index)
        sectionNumbers.remove(at: index)
        if children.isEmpty, !isSpecifier { sections = [] }
    }

    /// Changes a child in place.
    mutating func change<Outcome>(
        _ index: Int, _ body: (inout MemoryItem) throws(Problem) -> Outcome
    ) throws(Problem) -> Outcome { try body(&children[index]) }
}

extension MemoryItem.Section {
    /// - Parameter fields: the entries of the section's dictionary.
    init(_ fields: Fields) {
        self.init(
            title: fields["Title"]?.groupText, index: fields["Index"]?.groupText, footer: fields["Footer"]?.groupText,
            fields: fields)
        self.fields["Rows"] = nil
    }
}
