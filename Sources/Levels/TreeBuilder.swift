public import PropertyLists

/// Builds a tree of the events of a document in which items are dictionaries and strings (API.md, section 1).
///
/// No object graph in between: fields go packed on one stack of bytes, and each level is packed when its array ends.
public struct TreeBuilder: PropertyListConsumer, ~Copyable {
    var frames: [Frame] = []
    /// The innermost frame's kind, and what the key before the next value means: apart, since every event asks.
    var kind: Frame.Kind?
    var role: StructuralNames.Role?
    var fields = PackedFields()
    var rows: [PendingRow] = []
    /// The level below each of `rows`.
    var children: [Level?] = []
    var assembler: LevelAssembler
    var roles: RoleTable
    let names: StructuralNames
    let limits: TreeLimits
    /// Whether the texts come from XML, and so can all stand in XML.
    private let isXML: Bool
    private var holdsTextBeyondXML = false
    private var depth = -1
    private var items = 0
    public private(set) var warnings = DocumentWarnings()
    private var document: Level?

    /// - Parameters:
    ///   - names: which keys are structure.
    ///   - isXML: whether the reader guarantees that all text can stand in XML.
    ///   - pool: the levels of the tree that this one will replace.
    public init(
        names: StructuralNames = .init(), limits: TreeLimits = .init(), isXML: Bool = false, pool: LevelPool? = nil
    ) {
        self.names = names
        self.limits = limits
        self.isXML = isXML
        roles = RoleTable(names)
        assembler = LevelAssembler(pool: pool)
    }

    /// The finished tree: a level whose one row is the root item.
    ///
    /// - Throws: `PropertyListError` when the document held no tree.
    public consuming func finish() throws(PropertyListError) -> Tree {
        guard let document else { throw PropertyListError("the document is empty; it needs an array or a dictionary") }
        return Tree(document: document, warnings: warnings)
    }

    // MARK: Frames

    mutating func push(_ frame: Frame) {
        frames.append(frame)
        kind = frame.kind
        role = nil
    }

    mutating func pop() -> Frame {
        let frame = frames.removeLast()
        kind = frames.last?.kind
        role = nil
        return frame
    }

    // MARK: Containers

    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        guard let top = frames.last else { return try openItem(at: position) }
        switch top.kind {
        case .rows:
            frames[frames.count - 1].isDecided = true
            try openItem(at: position)
        case .item, .sectionDictionary: try openDictionaryField(of: top, at: position)
        case .sectionList where top.acceptsSectionDictionaries:
            push(Frame(.sectionDictionary, at: position, fieldBase: fields.count, start: fields.bytes.count))
        case .sectionList:
            throw PropertyListError("a section is an array here; sections with a Title of their own go into 'Sections'")
        case .namedSections:
            throw PropertyListError("the section '\(top.rare?.name ?? String())' must be an array of items")
        case .dictionary, .array: openValue(.dictionary, at: position)
        }
    }

    private mutating func openDictionaryField(of top: Frame, at position: SourcePosition) throws(PropertyListError) {
        switch role {
        case nil: openValue(.dictionary, at: position)
        case .sections where top.kind == .item:
            frames[frames.count - 1].form = .namedSections
            push(
                Frame(
                    .namedSections, at: position, fieldBase: fields.count, start: fields.bytes.count,
                    rowBase: rows.count))
        default: throw wrongValue("a dictionary")
        }
    }

    private mutating func openItem(at position: SourcePosition) throws(PropertyListError) {
        try countItem()
        depth += 1
        guard depth <= limits.depth else {
            throw PropertyListError("items nest deeper than \(limits.depth) levels; flatten the tree")
        }
        push(Frame(.item, at: position, fieldBase: fields.count, start: fields.bytes.count))
    }

    private mutating func countItem() throws(PropertyListError) {
        items += 1
        guard items <= limits.items else {
            throw PropertyListError("the document holds more than \(limits.items) items; split it, or raise MaxItems")
        }
    }

    private mutating func openValue(_ kind: Frame.Kind, at position: SourcePosition) {
        let start = fields.beginContainer(kind == .array ? .array : .dictionary)
        push(Frame(kind, at: position, fieldBase: fields.count, start: start))
    }

    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        guard let top = frames.last else {
            try openItem(at: position)
            frames[0].isBareArray = true
            return openRows(.rows, at: position)
        }
        switch top.kind {
        case .item, .sectionDictionary: try openArrayField(of: top, at: position)
        case .rows where !top.isDecided && !top.isSection:
            frames[frames.count - 1].kind = .sectionList
            kind = .sectionList
            frames[frames.count - 2].form = .arraysOfRows
            openSection(at: position)
        case .rows where !top.isDecided || top.isSection:
            throw PropertyListError("an array stands among the rows of a section; a row is a string or a dictionary")
        case .rows:
            throw PropertyListError(
                "an item must be a string or a dictionary, not an array; for sections every element must be an array")
        case .sectionList, .namedSections: openSection(at: position)
        case .dictionary, .array: openValue(.array, at: position)
        }
    }

    private mutating func openArrayField(of top: Frame, at position: SourcePosition) throws(PropertyListError) {
        switch role {
        case nil, .sectionKeys, .sectionTitles: openValue(.array, at: position)
        case .children where top.kind == .sectionDictionary: openSection(at: position)
        case .children: openRows(.rows, at: position)
        case .sections where top.kind == .item:
            frames[frames.count - 1].form = .sections
            openRows(.sectionList, at: position)
            frames[frames.count - 1].acceptsSectionDictionaries = true
        default: throw wrongValue("an array")
        }
    }

    private mutating func openRows(_ kind: Frame.Kind, at position: SourcePosition) {
        push(Frame(kind, at: position, fieldBase: fields.count, start: fields.bytes.count, rowBase: rows.count))
    }

    public mutating func endDictionary() throws(PropertyListError) {
        switch kind {
        case .item: try closeItem()
        case .sectionDictionary: closeSectionDictionary()
        case .namedSections: try closeSections()
        default: try closeValue()
        }
    }

    public mutating func endArray() throws(PropertyListError) {
        guard let top = frames.last else { return }
        switch top.kind {
        case .rows where top.isSection: closeSection()
        case .rows: try closeRows()
        case .sectionList: try closeSections()
        default: try closeValue()
        }
    }

    private mutating func closeValue() throws(PropertyListError) {
        let frame = pop()
        if frame.kind == .dictionary { _ = fields.close(base: frame.fieldBase) }
        try fields.endContainer(at: frame.start)
        didReadValue()
    }

    /// Ends a plain list of rows: its level is complete.
    private mutating func closeRows() throws(PropertyListError) {
        let frame = pop()
        let parts = LevelAssembler.Parts(
            children: takeChildren(from: frame.rowBase), form: .rows, holdsTextBeyondXML: takeTextBeyondXML())
        let level = try assembler.assemble(rows, from: frame.rowBase, in: fields.bytes, parts: parts)
        rows.removeSubrange(frame.rowBase...)
        fields.bytes.truncate(to: frame.start)
        warnAboutRepeatedTitle(at: frame.position)
        let owner = frames.count - 1
        frames[owner].needRare().level = level
        if frames[owner].isBareArray { return try closeItem() }
        if level.count == 0 { warnAboutEmptyChildren(at: frame.position) }
        fields.hole(.rows)
        didReadValue()
    }

    /// The children of the rows from a number on; nothing where all are leaves.
    mutating func takeChildren(from base: Int) -> [Level?] {
        defer { children.removeSubrange(base...) }
        return children[base...].contains { $0 != nil } ? Array(children[base...]) : []
    }

    mutating func takeTextBeyondXML() -> Bool {
        defer { holdsTextBeyondXML = false }
        return holdsTextBeyondXML
    }

    // MARK: Items

    mutating func closeItem() throws(PropertyListError) {
        let frame = frames[frames.count - 1]
        if frames.count == 1, !frame.isBareArray, frame.holderField == nil {
            throw Self.noLevel("a dictionary without a level")
        }
        var level = frame.rare?.level
        if let batch = frame.rare?.batch { level = try sectionedLevel(of: batch, in: frame) }
        let row = try pendingRow(of: frame)
        depth -= 1
        _ = pop()
        try add(row, level: level)
    }

    private mutating func pendingRow(of frame: Frame) throws(PropertyListError) -> PendingRow {
        var title = frame.titleField.map { fields.start($0).name.upperBound }
        var key = frame.keyField.map { fields.start($0).name.upperBound }
        let hasMoved = fields.close(base: frame.fieldBase)
        let content = frame.start..<fields.bytes.count
        if hasMoved {
            title = value(of: .title, frame.titleField == nil ? nil : frame.titleRank, in: content)
            key = value(of: .key, frame.keyField == nil ? nil : frame.keyRank, in: content)
        }
        var row = PendingRow(fields: content, title: content.upperBound..<content.upperBound)
        if let title {
            row.title = fields.titleText(title)
        } else if frames.count == 1 {
            row.title = fields.loose("Root")
        } else if key == nil {
            let titleName = names[.title].first ?? "Title"
            let keyName = names[.key].first ?? "Key"
            throw PropertyListError("an item has no '\(titleName)'; give it one, or a '\(keyName)'", at: frame.position)
        }
        if let key { row.explicitKey = fields.textRange(key) }
        return row
    }

    /// Where a role's value stands after fields were dropped.
    private func value(of role: StructuralNames.Role, _ rank: Int?, in content: Range<Int>) -> Int? {
        rank.flatMap { PackedFieldList.value(named: names[role][$0], in: fields.bytes.span, content) }
    }

    private mutating func add(_ row: PendingRow, level: Level?) throws(PropertyListError) {
        rows.append(row)
        children.append(level)
        guard frames.isEmpty else { return }
        let parts = LevelAssembler.Parts(
            children: takeChildren(from: 0), form: .rows, holdsTextBeyondXML: takeTextBeyondXML())
        document = try assembler.assemble(rows, from: 0, in: fields.bytes, parts: parts)
    }

    private mutating func addStringItem(_ text: Span<UInt8>) throws(PropertyListError) {
        try countItem()
        guard depth < limits.depth else {
            throw PropertyListError("items nest deeper than \(limits.depth) levels; flatten the tree")
        }
        frames[frames.count - 1].isDecided = true
        let start = fields.bytes.count
        noteText(text)
        fields.bytes.append(text)
        rows.append(PendingRow(fields: start..<start, title: start..<fields.bytes.count, isString: true))
        children.append(nil)
    }

    // MARK: Keys

    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        noteText(name)
        switch kind {
        case .item: try itemKey(name, at: position)
        case .sectionDictionary: try sectionKey(name)
        case .namedSections: frames[frames.count - 1].needRare().name = String(utf8: name)
        default:
            if fields.begin(name, base: frames[frames.count - 1].fieldBase) != nil {
                warnAboutRepeatedKey(name, at: position)
            }
        }
    }

    private mutating func itemKey(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        let top = frames.count - 1
        let meaning = roles.meaning(of: name)
        let isRepeated = fields.begin(name, base: frames[top].fieldBase) != nil
        if isRepeated { warnAboutRepeatedKey(name, at: position) }
        role = meaning.role
        guard let known = meaning.role else {
            if meaning.isNearMiss { warnAboutNearMiss(name, at: position) }
            return
        }
        switch known {
        case .title where meaning.rank <= frames[top].titleRank:
            frames[top].titleRank = meaning.rank
            frames[top].titleField = fields.count - 1
        case .key where meaning.rank <= frames[top].keyRank:
            frames[top].keyRank = meaning.rank
            frames[top].keyField = fields.count - 1
        case .title, .key: role = nil
        case .children, .sections:
            if frames[top].holderField != nil, !isRepeated {
                throw PropertyListError(
                    "the item has both '\(holderName(of: frames[top]))' and '\(String(utf8: name))'; only one of them can hold its level"
                )
            }
            frames[top].holderField = fields.count - 1
            frames[top].rare = nil
        case .sectionKeys, .sectionTitles: fields.bytes.append(PackedTag.hidden)
        }
    }

    /// After a value, the next key says what comes.
    @inline(__always)
    mutating func didReadValue() {
        role = nil
    }

    // MARK: Scalars

    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        switch kind {
        case .item:
            guard role == nil || role == .title || role == .key else { throw wrongValue("text") }
            noteText(text)
            fields.string(text)
            role = nil
        case .rows: try addStringItem(text)
        case .sectionDictionary where role != nil: try sectionText(String(utf8: text))
        default:
            try refuseScalar("text")
            noteText(text)
            fields.string(text)
            role = nil
        }
    }

    public mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) {
        if try takeScalarTitle("a number", value.description) { return }
        fields.bytes.append(packed: value)
        didReadValue()
    }

    public mutating func real(_ value: Double) throws(PropertyListError) {
        if try takeScalarTitle("a number", JSONText.real(value)) { return }
        fields.bytes.append(PackedTag.real, value)
        didReadValue()
    }

    public mutating func boolean(_ value: Bool) throws(PropertyListError) {
        if try takeScalarTitle("a truth value", value ? "true" : "false") { return }
        fields.bytes.append(value ? PackedTag.yes : .no)
        didReadValue()
    }

    public mutating func date(_ seconds: Double) throws(PropertyListError) {
        if seconds != seconds.rounded() { holdsTextBeyondXML = true }
        if try takeScalarTitle("a date", JSONText.date(seconds)) { return }
        fields.bytes.append(PackedTag.date, seconds)
        didReadValue()
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        try refuseScalar("data")
        if role == .title { throw wrongValue("data") }
        fields.data(bytes)
        didReadValue()
    }

    public mutating func uid(_ value: UInt64) throws(PropertyListError) {
        try refuseScalar("an archive's UID")
        if role == .title { throw wrongValue("an archive's UID") }
        fields.bytes.append(PackedTag.uid)
        fields.bytes.append(packed: value)
        didReadValue()
    }

    /// A number, date or truth value where only structure may stand; true when it was the title of a section.
    private mutating func takeScalarTitle(_ what: String, _ text: @autoclosure () -> String) throws(PropertyListError)
        -> Bool
    {
        try refuseScalar(what)
        guard kind == .sectionDictionary, role != nil else { return false }
        try sectionText(text())
        return true
    }

    /// Refuses a value other than a string in a place that asks for structure.
    @inline(__always)
    private func refuseScalar(_ what: String) throws(PropertyListError) {
        switch kind {
        case .item where role == nil || role == .title: return
        case .sectionDictionary where role == nil || role == .title: return
        case .dictionary, .array: return
        default: throw misplaced(what)
        }
    }

    private func misplaced(_ what: String) -> PropertyListError {
        switch kind {
        case nil: Self.noLevel(what)
        case .rows: PropertyListError("an item must be a string or a dictionary, not \(what)")
        case .sectionList: PropertyListError("a section must be an array or a dictionary, not \(what)")
        case .namedSections:
            PropertyListError("the section '\(frames.last?.rare?.name ?? "")' must be an array of items, not \(what)")
        default: wrongValue(what)
        }
    }

    // MARK: Warnings

    mutating func warn(_ message: String, at position: SourcePosition) {
        warnings.add(DocumentWarning(position: position, path: currentPath() ?? "/", message: message))
    }

    private mutating func warnAboutRepeatedKey(_ name: Span<UInt8>, at position: SourcePosition) {
        warn("the key '\(String(utf8: name))' stands twice in one dictionary; the last one counts", at: position)
    }

    private mutating func warnAboutNearMiss(_ name: Span<UInt8>, at position: SourcePosition) {
        guard let near = roles.nearMiss(of: name) else { return }
        warn("'\(String(utf8: name))' is kept as a field; did you mean '\(near)'?", at: position)
    }

    private mutating func warnAboutEmptyChildren(at position: SourcePosition) {
        warn("the list of children is empty, so the item is a leaf; leave the key out if that is meant", at: position)
    }

    mutating func warnAboutRepeatedTitle(at position: SourcePosition) {
        guard let (title, count) = assembler.repeatedTitle else { return }
        warn(
            "\(count) rows have the title '\(title)'; give them a Key each, or their paths end in ~2, ~3, …",
            at: position)
    }

    /// Notes text that XML could not carry, so that it is known before anyone asks for XML.
    @inline(__always)
    private mutating func noteText(_ text: Span<UInt8>) {
        if !isXML, !holdsTextBeyondXML, XMLText.holdsMoreThanXML(text) { holdsTextBeyondXML = true }
    }
}
