internal import Bytes
internal import Levels
internal import PropertyLists

/// Makes a tree from the rows of `items`. Uses the same builder as the readers of files.
struct ItemReader: ~Copyable {
    private let table: ItemTable
    private let names: StructuralNames
    private var builder: TreeBuilder
    private let limits: PropertyListLimits
    /// The number of rows reached so far. `tree` begins at the root, and `item` begins at the first row.
    private var reached = 0
    /// The id of the item at fault, after an error was thrown.
    private(set) var culprit: Int64?
    /// The ids of the items whose sections are a dictionary.
    private(set) var named: [Int64] = []
    /// The items that have rows, but lack a place for rows in their fields. The value is true if the fields are a
    /// string.
    private(set) var placeless: [Int64: Bool] = [:]
    /// The ids of the items with a real that is rounded, because it has more digits than a real of 64 bits.
    private(set) var rounded: [Int64] = []
    /// The item whose fields are being read.
    private var item = OpenItem(id: 0, rows: 0..<0)
    /// The position at which `table` found the rows of the latest item; the next search begins there.
    private var hint = 0
    /// The readers of fields that are not in use at present.
    private var readers: [FieldsReader] = []

    init(
        table: ItemTable, names: StructuralNames, limits: TreeLimits, values: PropertyListLimits = .init(),
        pool: LevelPool? = nil, progress: ReadingProgress? = nil
    ) {
        (self.table, self.names) = (table, names)
        self.limits = values
        builder = TreeBuilder(names: names, limits: limits, isXML: false, pool: pool, progress: progress)
    }

    /// Makes the whole tree.
    ///
    /// - Throws: `PropertyListError` for a row that breaks a rule; `culprit` is then the id of the row.
    mutating func tree() throws(PropertyListError) -> Tree {
        guard let root = table.root else {
            culprit = 0
            throw PropertyListError(reason: "there is no root; insert the item with the id 0 and no parent")
        }
        try send(root)
        try checkUnreached()
        return try finish()
    }

    /// Makes the item of the table's first row, with everything below it, in a level of its own.
    mutating func item(isRoot: Bool) throws(PropertyListError) -> Item.Step {
        if !isRoot { try builder.beginArray(at: Self.nowhere) }
        try send(0)
        if !isRoot { try builder.endArray() }
        let document = try finish().document
        guard !isRoot else { return Item.Step(level: document, row: 0) }
        guard let level = document.child(0), level.count == 1 else {
            throw PropertyListError(reason: "it is not an item")
        }
        return Item.Step(level: level, row: 0)
    }

    private mutating func finish() throws(PropertyListError) -> Tree {
        var done = TreeBuilder(names: names)
        swap(&builder, &done)
        let tree = try done.finish()
        if let part = tree.parts.first {
            throw PropertyListError(
                reason:
                    "an item refers to the file '\(quoted: part.reference.path)', which a database cannot; put its items in place with 'drilldown import'"
            )
        }
        return tree
    }

    /// Refuses rows that cannot be reached from the root.
    private mutating func checkUnreached() throws(PropertyListError) {
        guard reached < table.count else { return }
        let ids = Set((0..<table.count).map { table.place($0).id })
        for row in 0..<table.count {
            let place = table.place(row)
            guard let parent = place.parent, !ids.contains(parent) else { continue }
            culprit = place.id
            throw PropertyListError(
                reason: "its parent, item \(parent), does not exist; set another parent, or delete the row")
        }
        var above: [Int64: Int64] = [:]
        for row in 0..<table.count { above[table.place(row).id] = table.place(row).parent }
        for id in ids.sorted() where id != 0 {
            var (seen, next): (Set<Int64>, Int64?) = ([], id)
            while let item = next, item != 0, seen.insert(item).inserted { next = above[item] }
            guard next == id else { continue }
            culprit = id
            throw PropertyListError(reason: "it is below itself; set another parent for it or for an item above it")
        }
    }

    private static let nowhere = SourcePosition.byte(offset: 0)

    /// Sends an item to the builder, with everything below the item.
    private mutating func send(_ row: Int) throws(PropertyListError) {
        reached += 1
        if let step = table.item(row) {
            var walk = TreeWalk(level: step.level, row: step.row)
            return try walk.finish(to: &builder)
        }
        let id = table.place(row).id
        let parent = item
        item = OpenItem(id: id, rows: table.rows(below: id, near: &hint))
        do throws(PropertyListError) {
            try sendFields(row)
            try checkRest()
        } catch {
            culprit = culprit ?? repeatedKey(below: id) ?? id
            // The new error leaves out the position within the column, which would not help beside the item's id.
            throw error.isOutOfMemory ? error : PropertyListError(reason: error.reason, path: error.path)
        }
        item = parent
    }

    private mutating func sendFields(_ row: Int) throws(PropertyListError) {
        guard table.withFields(row, { !$0.isEmpty }) else { throw FieldsWriter.tooLarge }
        let reader = if let reader = readers.popLast() { reader } else { try FieldsReader(limits) }
        let isRounded: Bool
        if table.mayHaveTypes(row) {
            var value = PropertyListValueBuilder()
            isRounded = try reader.read(row, of: table, into: &value)
            var walk = PropertyListValueWalk(try (value.value ?? .null).decoded())
            try walk.finish(to: &self)
        } else {
            isRounded = try reader.read(row, of: table, into: &self)
        }
        if isRounded { rounded.append(table.place(row).id) }
        readers.append(reader)
    }

    /// The id of the first item whose `Key` repeats the `Key` of an earlier item below the same parent; nil if all keys
    /// differ.
    private func repeatedKey(below id: Int64) -> Int64? {
        var seen: Set<String> = []
        for row in table.rows(below: id) where table.item(row) == nil {
            guard let fields = dictionary(row) else { continue }
            for name in names[.key] {
                // Swift compares strings by canonical equivalence, which is the rule for keys.
                if case .string(let key)? = fields[name], !seen.insert(key).inserted { return table.place(row).id }
            }
        }
        return nil
    }

    /// The fields of an item as a dictionary; nil if the fields are a string, or are not JSON.
    private func dictionary(_ row: Int) -> PropertyListDictionary? {
        do throws(PropertyListError) {
            guard case .dictionary(let fields) = try PropertyListValue(json: table.fields(row)) else { return nil }
            return fields
        } catch {
            return nil
        }
    }
}

/// An item whose fields are being read. At each `null` in the fields, the rows of one section are sent.
private struct OpenItem {
    let id: Int64
    let rows: Range<Int>
    /// The first row that has not been sent yet.
    var next: Int
    /// The number of open containers in the fields.
    var depth = 0
    /// Whether the dictionary that is the value of `Sections` is open.
    var isInNamedSections = false
    /// The number of places for rows so far.
    var places = 0
    /// Whether the innermost container is an array of children that is still empty.
    var isInEmptyList = false

    init(id: Int64, rows: Range<Int>) {
        (self.id, self.rows) = (id, rows)
        next = rows.lowerBound
    }

    var hasMore: Bool { next < rows.upperBound }

    /// Whether the values are those of a section that `SectionKeys` leaves out. Such a section remains among the fields,
    /// with all items in it and below them.
    var isInHiddenSection: Bool { isInNamedSections && depth > 2 }
}

/// A reader of fields. The reader for an item remains in use while the items below that item are read.
private final class FieldsReader {
    private var json: JSONPropertyListReader

    init(_ limits: PropertyListLimits) throws(PropertyListError) { json = try JSONPropertyListReader(limits: limits) }

    /// Reads the fields of a row. Returns whether a real was rounded.
    func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ row: Int, of table: ItemTable, into consumer: inout Consumer
    ) throws(PropertyListError) -> Bool {
        try table.withFields(row) { fields throws(PropertyListError) in try json.read(fields, into: &consumer) }
        return json.hasRoundedReal
    }
}

extension ItemReader: PropertyListConsumer {
    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        try beginValue()
        if item.depth == 1, builder.takesNamedSections {
            named.append(item.id)
            item.isInNamedSections = true
        }
        item.depth += 1
        try builder.beginDictionary(at: position)
    }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        try builder.key(name, at: position)
    }

    mutating func endDictionary() throws(PropertyListError) {
        item.depth -= 1
        if item.depth == 1 { item.isInNamedSections = false }
        if item.depth == 0, item.places == 0, item.hasMore { try addPlace(ofString: false) }
        try builder.endDictionary()
    }

    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        item.isInEmptyList = item.depth == 1 && builder.takesChildren
        item.depth += 1
        try builder.beginArray(at: position)
    }

    mutating func endArray() throws(PropertyListError) {
        item.depth -= 1
        // An empty array is a place for rows, too.
        if item.isInEmptyList, item.places == 0, item.hasMore { try sendElements() }
        item.isInEmptyList = false
        try builder.endArray()
    }

    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        try beginValue()
        guard item.depth == 0, !item.rows.isEmpty else { return try builder.string(text) }
        try builder.beginDictionary(at: Self.nowhere)
        try builder.key(Array((names[.title].first ?? "Title").utf8).span, at: Self.nowhere)
        try builder.string(text)
        try addPlace(ofString: true)
        try builder.endDictionary()
    }

    mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        item.isInEmptyList = false
        try builder.scalar(value)
    }

    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) { try builder.data(bytes) }

    mutating func null() throws(PropertyListError) {
        item.isInEmptyList = false
        guard item.depth == 0 ? item.id == 0 : builder.takesRows && !item.isInHiddenSection else {
            throw PropertyListError(
                reason:
                    "'null' stands for the rows of an item or of a section, and for no other value; leave the entry out"
            )
        }
        try sendRows()
    }

    func currentPath() -> String? { builder.currentPath() }

    /// Refuses an item among the fields of another item, because it has no id and could not be edited.
    private mutating func beginValue() throws(PropertyListError) {
        item.isInEmptyList = false
        guard item.depth > 0, builder.takesItems, !item.isInHiddenSection else { return }
        throw .itemAmongFields(of: item.id)
    }

    /// Adds the missing place for rows to an item.
    private mutating func addPlace(ofString isString: Bool) throws(PropertyListError) {
        placeless[item.id] = isString
        try builder.key(Array((names[.children].first ?? "Children").utf8).span, at: Self.nowhere)
        try sendRows()
    }

    private mutating func sendRows() throws(PropertyListError) {
        try builder.beginArray(at: Self.nowhere)
        try sendElements()
        try builder.endArray()
    }

    private mutating func sendElements() throws(PropertyListError) {
        while item.hasMore, table.place(item.next).section == item.places {
            try send(item.next)
            item.next += 1
        }
        item.places += 1
    }

    /// Refuses rows whose section does not exist.
    private mutating func checkRest() throws(PropertyListError) {
        guard item.hasMore else { return }
        let place = table.place(item.next)
        culprit = place.id
        throw PropertyListError(
            reason:
                "there is no section \(place.section) below the item \(item.id), which has \(max(item.places, 1)); sections count from 0"
        )
    }
}

extension PropertyListError {
    /// The error for an item that is not a row of its own.
    static func itemAmongFields(of id: Int64) -> PropertyListError {
        PropertyListError(
            reason:
                "the fields contain an item; write 'null' for the array around it, and insert the item as a row with the parent \(id)"
        )
    }
}
