@testable import TestDocuments

/// A document as a plain value, changed by plain code, for comparison with an edited tree.
///
/// No key comes twice, as in a document that a tree sends; sections are put into the order in which the tree has them.
/// An item's path is the numbers of the rows that lead to it.
struct EditableDocument {
    private(set) var value: Value

    init(_ value: Value) { self.value = value }

    /// The item at a path.
    func item(_ path: [Int]) -> Value {
        path.reduce(value) { item, row in Rows(of: item)[row] }
    }

    /// Changes the item at a path.
    mutating func change(_ path: [Int], _ change: (inout Value) -> Void) {
        Self.change(&value, path[...], change)
    }

    /// Changes the rows below the item at a path.
    mutating func changeRows(below path: [Int], _ change: (inout Rows) -> Void) {
        self.change(path) { item in
            var rows = Rows(of: item)
            change(&rows)
            item = rows.put(into: item)
        }
    }

    private static func change(_ item: inout Value, _ path: ArraySlice<Int>, _ change: (inout Value) -> Void) {
        guard let row = path.first else { return change(&item) }
        var rows = Rows(of: item)
        Self.change(&rows[row], path.dropFirst(), change)
        item = rows.put(into: item)
    }
}

extension EditableDocument {
    /// The rows below an item, by section.
    struct Rows {
        var sections: [[Value]]
        private var holder: Value
        /// The places of named sections in their dictionary, in the order of the tree.
        private var places: [Int] = []
        private let isPlain: Bool

        init(of item: Value) {
            holder = Self.holder(of: item) ?? .array([])
            if case .dictionary(let entries) = holder {
                places = item.sectionOrder(of: entries)
                holder = .dictionary(places.map { entries[$0] })
            }
            (sections, isPlain) = Self.sections(in: holder, isNamedSections: item.holderName == "Sections")
        }

        /// One row, counted over all sections.
        subscript(row: Int) -> Value {
            get {
                let (section, offset) = place(of: row)
                return sections[section][offset]
            }
            set {
                let (section, offset) = place(of: row)
                sections[section][offset] = newValue
            }
        }

        mutating func remove(_ row: Int) -> Value {
            let (section, offset) = place(of: row)
            return sections[section].remove(at: offset)
        }

        private func place(of row: Int) -> (section: Int, offset: Int) {
            var offset = row
            for (section, rows) in sections.enumerated() {
                if offset < rows.count { return (section, offset) }
                offset -= rows.count
            }
            preconditionFailure("there is no row \(row)")
        }

        private static func holder(of item: Value) -> Value? {
            guard case .dictionary(let entries) = item else { return item.isArray ? item : nil }
            return entries.first { $0.key == item.holderName }?.value
        }

        private static func sections(in holder: Value, isNamedSections: Bool) -> ([[Value]], isPlain: Bool) {
            switch holder {
            case .dictionary(let entries): (entries.map { $0.value.elements }, false)
            case .array(let elements) where isNamedSections || elements.first?.isArray == true:
                (elements.map { $0.isArray ? $0.elements : Rows.holder(of: $0)?.elements ?? [] }, false)
            default: ([holder.elements], true)
            }
        }

        /// The item with these rows.
        func put(into item: Value) -> Value {
            let list = list()
            guard case .dictionary(var entries) = item else {
                return item.isArray
                    ? list : .dictionary([Value.Entry("Title", item), Value.Entry("Children", list)])
            }
            if let index = entries.firstIndex(where: { $0.key == item.holderName }) {
                entries[index] = Value.Entry(entries[index].key, list)
            } else {
                entries.append(Value.Entry("Children", list))
            }
            return .dictionary(entries)
        }

        private func list() -> Value {
            switch holder {
            case .dictionary(let entries):
                .dictionary(
                    places.indices.sorted { places[$0] < places[$1] }
                        .map { Value.Entry(entries[$0].key, .array(sections[$0])) })
            case .array(let elements) where !isPlain:
                .array(zip(elements, sections).map { $0.isArray ? .array($1) : Self.section($0, $1) })
            default: .array(sections[0])
            }
        }

        private static func section(_ section: Value, _ rows: [Value]) -> Value {
            guard case .dictionary(var entries) = section else { return section }
            if let index = entries.firstIndex(where: { $0.key == section.holderName }) {
                entries[index] = Value.Entry(entries[index].key, .array(rows))
            } else if !rows.isEmpty {
                entries.append(Value.Entry("Rows", .array(rows)))
            }
            return .dictionary(entries)
        }
    }
}

extension Value {
    static let holderNames: Set = ["Children", "Rows", "Sections"]
    static let structureNames = holderNames.union(["SectionKeys", "SectionTitles"])

    var isArray: Bool {
        if case .array = self { true } else { false }
    }

    var elements: [Value] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The places of named sections in the order of the item's `SectionKeys`, and of the rest after them.
    fileprivate func sectionOrder(of sections: [Entry]) -> [Int] {
        guard case .dictionary(let entries) = self,
            let order = entries.first(where: { $0.key == "SectionKeys" })?.value.elements
        else { return Array(sections.indices) }
        let names = sections.map { Array($0.key.utf8) }
        let listed = order.compactMap { name in
            if case .string(let name) = name { names.firstIndex(of: Array(name.utf8)) } else { nil }
        }
        return listed + sections.indices.filter { !listed.contains($0) }
    }

    /// The name of the entry that holds an item's level, or a section's rows.
    var holderName: String? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries.first { Self.holderNames.contains($0.key) }?.key
    }

    /// The entries of an item that are structure.
    var structure: [Entry] {
        guard case .dictionary(let entries) = self else { return [] }
        return entries.filter { Self.structureNames.contains($0.key) }
    }

    /// An item's own fields, with the structure of another behind them.
    func withStructure(of other: Value) -> Value {
        guard !other.structure.isEmpty else { return self }
        guard case .dictionary(let entries) = self else {
            return .dictionary([Entry("Title", self)] + other.structure)
        }
        return .dictionary(entries + other.structure)
    }
}
