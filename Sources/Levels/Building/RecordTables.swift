internal import Bytes
public import PropertyLists

/// Records: dictionaries with only fields, which the strategy of their list turns into items.
extension TreeBuilder {
    mutating func openRecord(at position: SourcePosition) throws(PropertyListError) {
        try tree.countItem()
        guard items.count <= tree.limits.depth else { throw nestsTooDeep }
        push(Frame(.record, at: position, base: tree.base))
    }

    /// Adds the row of a record, with an empty title.
    mutating func closeRecord() {
        let frame = pop()
        _ = tree.fields.close(base: frame.base.field)
        let content = frame.base.start..<tree.fields.bytes.count
        tree.add(
            PendingRow(
                fields: content, title: content.upperBound..<content.upperBound, place: PackedPosition(frame.position)),
            level: nil)
    }

    // MARK: Their item

    /// Notes the file of the innermost item's records. Returns whether the records are in a file.
    ///
    /// - Throws: `PropertyListError` if the item has only one of `Records` and `DrillBy`.
    @inline(never)
    mutating func noteTable() throws(PropertyListError) -> Bool {
        let item = items.innermost
        guard item.levelSlot == .records, item.field(.drillBy) != nil else { throw incompleteTable }
        guard item.list == nil else { return false }
        let drilling = try drilling(of: item)
        try checkDepth(of: drilling, in: item)
        // The tag `hidden` precedes the name of the file.
        if let field = item.field(.records),
            let path = tree.fields.textRange(tree.fields.start(field).name.upperBound + 1)
        {
            note(.records(String(utf8: tree.fields.bytes.span.extracting(path)), drilling: drilling))
        }
        return true
    }

    private var incompleteTable: PropertyListError {
        let item = items.innermost
        guard let position = position(of: .drillBy, in: item) else {
            return PropertyListError(
                reason:
                    "'Records' needs 'DrillBy', an array of field names; with an empty array, the records are the level",
                at: self.position(of: .records, in: item), path: currentPath())
        }
        return PropertyListError(
            reason: "'DrillBy' needs 'Records', an array of dictionaries or the name of a file", at: position,
            path: currentPath())
    }

    /// Returns the drilling of an item's table.
    ///
    /// - Throws: `PropertyListError` if any element of `DrillBy` is not text.
    func drilling(of item: GatheredItem) throws(PropertyListError) -> RecordDrilling {
        guard let field = item.field(.drillBy),
            let fields = PackedReader(bytes: tree.fields.bytes.span, at: tree.fields.start(field).name.upperBound).texts
        else {
            throw PropertyListError(
                reason: "'DrillBy' must contain only field names, which are text", at: position(of: .drillBy, in: item),
                path: currentPath())
        }
        let title = text(of: .titleBy, in: item) ?? RecordDrilling.defaultTitleField
        return RecordDrilling(fields: fields, titleField: title, keyField: text(of: .keyBy, in: item))
    }

    func checkDepth(of drilling: RecordDrilling, in item: GatheredItem) throws(PropertyListError) {
        guard items.count + drilling.fields.count > tree.limits.depth else { return }
        throw PropertyListError(
            reason: "'DrillBy' leads deeper than \(tree.limits.depth) levels; name fewer fields",
            at: position(of: .drillBy, in: item), path: currentPath())
    }
}

/// Tables that are documents of their own. The document is an array of dictionaries, without an item around the array.
extension TreeBuilder {
    /// Creates a builder for a document that is a table.
    ///
    /// - Parameters:
    ///   - drilling: the division of the records into levels.
    ///   - isXML: whether the reader guarantees that XML can represent all text.
    ///   - pool: the levels of the previous tree.
    ///   - progress: the counter of items.
    public init(
        table drilling: RecordDrilling, limits: TreeLimits = .init(), isXML: Bool = false, pool: LevelPool? = nil,
        progress: ReadingProgress? = nil
    ) throws(PropertyListError) {
        self.init(
            names: .init(), slots: [.table, .drillBy, .titleBy, .keyBy], limits: limits, isXML: isXML, pool: pool,
            progress: progress)
        let nowhere = SourcePosition.byte(offset: 0)
        try beginDictionary(at: nowhere)
        if drilling.titleField != RecordDrilling.defaultTitleField {
            try key(Array("TitleBy".utf8).span, at: nowhere)
            try string(Array(drilling.titleField.utf8).span, at: nowhere)
        }
        if let field = drilling.keyField {
            try key(Array("KeyBy".utf8).span, at: nowhere)
            try string(Array(field.utf8).span, at: nowhere)
        }
        try key(Array("DrillBy".utf8).span, at: nowhere)
        try beginArray(at: nowhere)
        for field in drilling.fields { try string(Array(field.utf8).span, at: nowhere) }
        try endArray()
        try key(Array("Records".utf8).span, at: nowhere)
    }

    /// The finished tree of a document that is a table.
    ///
    /// - Parameter names: fields of which each must be in one of the first records.
    /// - Throws: `PropertyListError` if none of the first records has one of the fields, or if the tree exceeds the limits.
    public consuming func finishDocument(requiring names: [String]) throws(PropertyListError) -> Tree {
        if let rows = items.innermost.list?.rows {
            try RecordFields.check(names, in: rows.rows.lazy.map(\.fields), of: rows.bytes.span)
        }
        let reading = try drilling(of: items.innermost).description
        var tree = try finishTable()
        tree.isTable = true
        tree.reading = "read as a table: \(reading)"
        return tree
    }

    /// Returns the finished tree: a root item whose level is the table.
    ///
    /// - Throws: `PropertyListError` if the tree exceeds the limits.
    public consuming func finishTable() throws(PropertyListError) -> Tree {
        try endDictionary()
        return try finish()
    }
}

extension Slot {
    fileprivate static let table = Slot(
        number: .records, names: .fixed(PartReference.recordsName), array: .records
    ) { _ in "the table must be an array of dictionaries" }
}

/// Makes the levels of a table. The top level lists the values of the first `DrillBy` field, and the level below each
/// value lists the values of the next field. The lowest levels contain the records.
enum Facets: LevelStrategy {
    static func level(
        of rows: consuming SetAsideRows, in item: GatheredItem, builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level {
        let drilling = try builder.drilling(of: item)
        if !rows.rows.isEmpty { try builder.checkDepth(of: drilling, in: item) }
        try rows.becomeRecords(by: drilling)
        var order = rows.rows.indices.map { UInt32($0) }
        var depths = [FacetGroups(starts: [0, order.count])]
        for field in drilling.fields {
            let groups = try FacetDivision.divide(depths[depths.count - 1], by: field, order: &order, of: rows)
            try builder.tree.count(made: groups.count)
            depths.append(groups)
        }
        if depths.count > 1 { rows.reorder(order.map(Int.init)) }
        return try builder.level(of: rows, in: depths)
    }
}

extension ListRule {
    /// `Records`, as an array.
    static let records = ListRule(kind: .records, form: .records, strategy: Facets.self)
}

extension TreeBuilder {
    /// Makes the level of an item, after all levels below it. `rows` are in the order of the deepest groups.
    fileprivate mutating func level(
        of rows: SetAsideRows, in depths: [FacetGroups]
    ) throws(PropertyListError) -> Level {
        var levels = try recordLevels(of: rows, in: depths[depths.count - 1])
        for depth in depths.indices.dropLast().reversed() {
            let groups = depths[depth + 1]
            var above: [Level] = []
            above.reserveCapacity(depths[depth].count)
            for group in 0..<depths[depth].count {
                let within = groups.groups(within: group)
                above.append(
                    try tree.level(
                        of: groups.rows.span.extracting(within), in: groups.bytes.span, children: Array(levels[within]),
                        form: .facets, at: rows.position))
            }
            levels = above
        }
        return levels[0]
    }

    private mutating func recordLevels(
        of rows: SetAsideRows, in groups: FacetGroups
    ) throws(PropertyListError) -> [Level] {
        var levels: [Level] = []
        levels.reserveCapacity(groups.count)
        var repeated: RepeatedTitle?
        for group in 0..<groups.count {
            let records = groups.records(of: group)
            levels.append(
                try tree.level(
                    of: rows.rows.span.extracting(records), in: rows.bytes.span, children: [], form: .records,
                    at: rows.position))
            repeated = repeated ?? tree.repeatedTitle
        }
        // A table has as many levels as values, so only the first repeated title leads to a warning.
        if let repeated { warn(repeated.messageAboutRecords, at: repeated.second ?? rows.position) }
        return levels
    }
}

/// Checks the fields that options name in a table.
enum RecordFields {
    /// - Parameters:
    ///   - names: names, or paths with dots.
    ///   - records: the packed fields of the records, as ranges of `bytes`.
    /// - Throws: `PropertyListError` for the first name that none of the first thousand records has. A table without records
    ///   has all names.
    static func check(
        _ names: [String], in records: some Sequence<Range<Int>>, of bytes: Span<UInt8>
    ) throws(PropertyListError) {
        guard !names.isEmpty else { return }
        var (known, isKnown): ([String], Set<String>) = ([], [])
        for record in records.prefix(1_000) {
            for field in PackedField.all(in: record, of: bytes) where known.count < 1_000 {
                let name = String(utf8: bytes.extracting(field.name))
                if isKnown.insert(name).inserted { known.append(name) }
            }
        }
        for name in names where !known.isEmpty && !known.contains(where: { $0 == name || name.hasPrefix($0 + ".") }) {
            let near = EditDistance.nearest(to: name, among: known).map { "did you mean '\(quoted: $0)'?" }
            let list = known.prefix(10).map { "'\(quoted: $0)'" }.joined(separator: ", ")
            throw PropertyListError(
                reason: "no record has the field '\(quoted: name)'; " + (near ?? "the first records have \(list)"))
        }
    }
}

extension Tree {
    /// Checks the fields that options name in a document that is read as it is.
    ///
    /// - Throws: `PropertyListError` for the first name that none of the first thousand rows has.
    public func checkFields(_ names: [String]) throws(PropertyListError) {
        // Only where the document is the list itself are all its records known here.
        guard let level = document.child(0), level.form == .list, document.row(0).fields.isEmpty else { return }
        let bytes = level.bytes
        try RecordFields.check(names, in: (0..<level.rowCount).lazy.map { level.row($0).fields }, of: bytes.span)
    }
}
