internal import Bytes
internal import Levels
internal import PropertyLists

/// Makes a tree of the rows of `items`, with the builder that reads files.
final class ItemReader {
    private let table: ItemTable
    private let names: StructuralNames
    private let childrenNames, sectionNames: [[UInt8]]
    private var builder: TreeBuilder
    private let limits: PropertyListLimits
    /// The rows that were reached from the first one.
    private var reached = 0
    /// The item at fault, once an error was thrown.
    private(set) var culprit: Int64?
    /// The items whose sections are a dictionary.
    private(set) var named: [Int64] = []

    init(
        _ table: ItemTable, names: StructuralNames, limits: TreeLimits, values: PropertyListLimits = .init(),
        pool: LevelPool? = nil, progress: ReadingProgress? = nil
    ) {
        (self.table, self.names) = (table, names)
        self.limits = values
        childrenNames = names[.children].map { Array($0.utf8) }
        sectionNames = names[.sections].map { Array($0.utf8) }
        builder = TreeBuilder(names: names, limits: limits, isXML: false, pool: pool, progress: progress)
    }

    /// A whole tree.
    ///
    /// - Throws: `PropertyListError` for a row that breaks a rule; `culprit` is its id.
    func tree() throws(PropertyListError) -> Tree {
        guard let root = table.root else {
            culprit = 0
            throw PropertyListError("there is no root; insert the item with the id 0 and no parent")
        }
        try send(root)
        try checkUnreached()
        let tree = try finish()
        if let part = tree.parts.first {
            throw PropertyListError(
                "an item refers to the file '\(quoted: part.reference.path)', which a database cannot; put its items in place with 'drilldown import'"
            )
        }
        return tree
    }

    /// One item with everything below it, in a level of its own; the first row of the table.
    func item(isRoot: Bool) throws(PropertyListError) -> Item.Step {
        if !isRoot { try builder.beginArray(at: Self.nowhere) }
        try send(0)
        if !isRoot { try builder.endArray() }
        let document = try finish().document
        guard !isRoot else { return Item.Step(level: document, row: 0) }
        guard let level = document.child(0), level.count == 1 else { throw PropertyListError("it is not an item") }
        return Item.Step(level: level, row: 0)
    }

    private func finish() throws(PropertyListError) -> Tree {
        var done = TreeBuilder(names: names)
        swap(&builder, &done)
        return try done.finish()
    }

    /// Refuses rows that the root does not lead to.
    private func checkUnreached() throws(PropertyListError) {
        guard reached < table.count else { return }
        let ids = Set((0..<table.count).map { table.place($0).id })
        for row in 0..<table.count {
            let place = table.place(row)
            guard let parent = place.parent, !ids.contains(parent) else { continue }
            culprit = place.id
            throw PropertyListError(
                "there is no item \(parent), which is its parent; set another parent, or delete the row")
        }
        var above: [Int64: Int64] = [:]
        for row in 0..<table.count { above[table.place(row).id] = table.place(row).parent }
        for id in ids.sorted() where id != 0 {
            var (seen, next): (Set<Int64>, Int64?) = ([], id)
            while let item = next, item != 0, seen.insert(item).inserted { next = above[item] }
            guard next == id else { continue }
            culprit = id
            throw PropertyListError("it is below itself; set another parent for it or for an item above it")
        }
    }

    fileprivate static let nowhere = SourcePosition.byte(offset: 0)

    /// Sends an item with everything below it.
    private func send(_ row: Int) throws(PropertyListError) {
        reached += 1
        let id = table.place(row).id
        do throws(PropertyListError) {
            switch table.content(row) {
            case .item(let step):
                var walk = TreeWalk(step.level, row: step.row)
                try walk.finish(to: &builder)
            case .fields(let bytes):
                var item = OpenItem(reader: self, id: id, rows: table.rows(below: id))
                if bytes.contains(UInt8(ascii: "$")) {
                    var walk = PropertyListValueWalk(try PropertyListValue(json: bytes, limits: limits).decoded())
                    try walk.finish(to: &item)
                } else {
                    try JSONPropertyListReader.read(.memory(bytes), limits: limits, into: &item)
                }
                try item.checkRest()
            }
        } catch {
            culprit = culprit ?? repeatedKey(below: id) ?? id
            // Where it is in the column is of no use beside the item's id.
            throw error.isOutOfMemory ? error : PropertyListError(error.reason, path: error.path)
        }
    }

    /// The later of two items below an item that have the same `Key`.
    private func repeatedKey(below id: Int64) -> Int64? {
        var seen: Set<String> = []
        for row in table.rows(below: id) {
            guard case .fields(let bytes) = table.content(row),
                let fields = Self.dictionary(bytes)
            else { continue }
            for name in names[.key] {
                // Swift compares strings by canonical equivalence, as keys are.
                if case .string(let key)? = fields[name], !seen.insert(key).inserted { return table.place(row).id }
            }
        }
        return nil
    }

    /// The fields of an item; nil for a string, and for text that is not JSON.
    private static func dictionary(_ bytes: [UInt8]) -> PropertyListDictionary? {
        do throws(PropertyListError) {
            guard case .dictionary(let fields) = try PropertyListValue(json: bytes) else { return nil }
            return fields
        } catch {
            return nil
        }
    }

    /// An item whose fields are read: its rows are sent where the fields have `null` for them.
    private struct OpenItem: PropertyListConsumer {
        let reader: ItemReader
        let id: Int64
        let rows: Range<Int>
        /// The first row that was not sent.
        var next: Int
        /// The number of places for rows so far.
        var places = 0
        /// The open containers.
        var open: [Container] = []
        /// Whether the innermost container is an array of children, still empty.
        var isInEmptyList = false
        /// The role of the latest key of an item or a section.
        var key = Key.other
        enum Container { case item, sectionList, sectionDictionary, section, other }
        enum Key { case children, sections, other }

        init(reader: ItemReader, id: Int64, rows: Range<Int>) {
            (self.reader, self.id, self.rows) = (reader, id, rows)
            next = rows.lowerBound
        }

        mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
            isInEmptyList = false
            switch open.last {
            case nil: open.append(.item)
            case .item where key == .sections:
                open.append(.sectionDictionary)
                reader.named.append(id)
            case .sectionList: open.append(.section)
            default: open.append(.other)
            }
            try reader.builder.beginDictionary(at: position)
        }

        mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
            if open.last == .item || open.last == .section {
                key =
                    reader.childrenNames.contains { name.isEqual(to: $0.span) }
                    ? .children : reader.sectionNames.contains { name.isEqual(to: $0.span) } ? .sections : .other
            }
            try reader.builder.key(name, at: position)
        }

        mutating func endDictionary() throws(PropertyListError) {
            if open.popLast() == .item, places == 0, next < rows.upperBound { try addPlace() }
            try reader.builder.endDictionary()
        }

        mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
            let isList = open.last.map { $0 == .item && key != .other } ?? true
            isInEmptyList = open.last == .item && key == .children
            open.append(isList ? .sectionList : .other)
            try reader.builder.beginArray(at: position)
        }

        mutating func endArray() throws(PropertyListError) {
            _ = open.popLast()
            // An empty array is a place for rows, too.
            if isInEmptyList, places == 0, next < rows.upperBound { try sendElements() }
            isInEmptyList = false
            try reader.builder.endArray()
        }

        mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
            isInEmptyList = false
            guard open.isEmpty, !rows.isEmpty else { return try reader.builder.string(text) }
            try reader.builder.beginDictionary(at: ItemReader.nowhere)
            try reader.builder.key(Array((reader.names[.title].first ?? "Title").utf8).span, at: ItemReader.nowhere)
            try reader.builder.string(text)
            try addPlace()
            try reader.builder.endDictionary()
        }

        mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
            isInEmptyList = false
            try reader.builder.scalar(value)
        }

        mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) { try reader.builder.data(bytes) }

        mutating func null() throws(PropertyListError) {
            isInEmptyList = false
            switch open.last {
            case nil where id == 0, .sectionList, .sectionDictionary: try sendRows()
            case .item where key != .other, .section where key == .children: try sendRows()
            default:
                throw PropertyListError(
                    "'null' stands for the rows of an item or of a section, and for no other value; leave the entry out"
                )
            }
        }

        func currentPath() -> String? { reader.builder.currentPath() }

        /// Adds the missing place for rows to an item.
        private mutating func addPlace() throws(PropertyListError) {
            let name = reader.childrenNames.first ?? Array("Children".utf8)
            try reader.builder.key(name.span, at: ItemReader.nowhere)
            try sendRows()
        }

        private mutating func sendRows() throws(PropertyListError) {
            try reader.builder.beginArray(at: ItemReader.nowhere)
            try sendElements()
            try reader.builder.endArray()
        }

        private mutating func sendElements() throws(PropertyListError) {
            while next < rows.upperBound, reader.table.place(next).section == places {
                try reader.send(next)
                next += 1
            }
            places += 1
        }

        /// Refuses rows of sections that are not there.
        func checkRest() throws(PropertyListError) {
            guard next < rows.upperBound else { return }
            let place = reader.table.place(next)
            reader.culprit = place.id
            throw PropertyListError(
                "there is no section \(place.section) below the item \(id), which has \(max(places, 1)); sections count from 0"
            )
        }
    }
}
