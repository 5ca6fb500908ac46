internal import Bytes
internal import PropertyLists

extension Tree {
    /// Takes over the fields that title and key the lists of an earlier reading, where these still fit.
    ///
    /// - Throws: `PropertyListError` if the memory does not suffice.
    mutating func keep(_ earlier: KeptReading?, childrenNames: [String], isRootMap: Bool) throws(PropertyListError) {
        var keeping = TitleKeeping(emptied: earlier?.emptied ?? [:])
        if let earlier, let level = document.child(0) {
            let old = Item.Step(level: earlier.document, row: 0)
            let kept = try keeping.keep(level, old: old, at: [], isMap: isRootMap)
            if kept !== level { document = document.placing([0: kept]) }
        }
        if keeping.hasChanged { reading = earlier?.sentence ?? reading }
        for (path, message) in keeping.warnings {
            addWarning(DocumentWarning(position: nil, path: path, message: message))
        }
        self.kept = KeptReading(
            document: document, childrenNames: childrenNames, isRootMap: isRootMap, sentence: reading,
            emptied: keeping.emptied)
    }
}

/// Gives the rows of new levels the titles and keys that the same lists had before.
private struct TitleKeeping: ~Copyable {
    private(set) var emptied: [[[UInt8]]: RowTitles]
    /// Whether a list has kept fields that a new reading would not choose.
    private(set) var hasChanged = false
    private(set) var warnings: [(path: String, message: String)] = []
    private var assembler = LevelAssembler(pool: nil)

    init(emptied: [[[UInt8]]: RowTitles]) { self.emptied = emptied }

    /// Returns the level with kept titles and keys, in it and below it.
    ///
    /// - Parameters:
    ///   - old: the item above the earlier level; nil if the earlier document lacks it.
    ///   - isMap: whether the members of a dictionary are titled.
    mutating func keep(
        _ level: Level, old: Item.Step?, at path: [[UInt8]], isMap: Bool
    ) throws(PropertyListError) -> Level {
        if old?.below === level { return level }
        var level = level
        if isMap || level.form == .list { level = try keepOwn(level, old: old?.below, at: path, isMap: isMap) }
        guard !level.children.isEmpty else { return level }
        var replaced: [Int: Level] = [:]
        for row in 0..<level.rowCount {
            guard let child = level.child(row) else { continue }
            let key = Array(level.bytes[level.row(row).key])
            var below: Item.Step?
            if let other = old?.below {
                if row < other.rowCount, other.child(row) === child { continue }
                below = other.row(withKey: key.span).map { Item.Step(level: other, row: $0) }
            }
            guard below != nil || !emptied.isEmpty else { continue }
            let kept = try keep(
                child, old: below, at: path + [key],
                isMap: child.form == .members && level.isMap(row))
            if kept !== child { replaced[row] = kept }
        }
        return replaced.isEmpty ? level : level.placing(replaced)
    }

    private mutating func keepOwn(
        _ level: Level, old: Level?, at path: [[UInt8]], isMap: Bool
    ) throws(PropertyListError) -> Level {
        let rows = (0..<level.rowCount).filter(level.isDictionary)
        let earlier = old?.titles ?? RowTitles()
        let known = earlier == RowTitles() ? emptied[path] : earlier
        guard !rows.isEmpty else {
            if let known { emptied[path] = known }
            return level
        }
        emptied[path] = nil
        guard let known else { return level }
        var wanted = level.titles
        if !known.title.isEmpty, rows.contains(where: { level.has(known.title, row: $0) }) {
            wanted.title = known.title
        }
        if let key = known.keys.first, 2 * rows.count(where: { level.hasKey(key, row: $0) }) >= rows.count {
            wanted.keys = [key]
        }
        if let key = wanted.keys.first, !isMap { warn(of: key, in: level, rows: rows, at: path) }
        guard wanted != level.titles else { return level }
        hasChanged = true
        return try relabel(level, by: wanted, dictionaries: Set(rows), isMap: isMap)
    }

    /// Warns about elements that lack the key of their list, or repeat that of another.
    private mutating func warn(of key: [UInt8], in level: Level, rows: [Int], at path: [[UInt8]]) {
        guard warnings.count < Self.mostWarnings else { return }
        let bytes = level.bytes
        var known: Set<UInt64> = []
        let odd = rows.count { row in
            let key = PackedTitle(key: [key], of: level.row(row).fields, in: bytes.span)
            return key.map { !known.insert($0.hash(in: bytes.span)).inserted } ?? true
        }
        guard odd > 0 else { return }
        warnings.append(
            (
                TitlePath.text(path.map { String(utf8: $0.span) }),
                "\(Quantity(count: odd, noun: "element")) \(odd == 1 ? "lacks" : "lack") the key '\(QuotedText(utf8: key.span))' or \(odd == 1 ? "repeats" : "repeat") that of another; the path comes from the title, or ends in a number"
            ))
    }

    private static let mostWarnings = 20

    private mutating func relabel(
        _ level: Level, by titles: RowTitles, dictionaries: Set<Int>, isMap: Bool
    ) throws(PropertyListError) -> Level {
        var gatherer = RowGatherer(StructuralNames())
        var rows: [PendingRow] = []
        for number in 0..<level.rowCount {
            var row = gatherer.gather(level, number: number)
            if dictionaries.contains(number) {
                if !isMap { (row.explicitKey, row.keySource) = (nil, -1) }
                let key = titles.keys.first.flatMap {
                    PackedTitle(key: [$0], of: row.fields, in: gatherer.bytes.span)
                }
                if let key, !isMap {
                    row.explicitKey = gatherer.appendText(of: key)
                    row.keySource = key.source
                }
                let name = isMap ? row.explicitKey ?? row.title : row.explicitKey
                if let title = PackedTitle(path: titles.title, of: row.fields, in: gatherer.bytes.span) {
                    if isMap { row.explicitKey = name }
                    row.title = gatherer.appendText(of: title)
                    row.titleSource = title.source
                } else {
                    if isMap { row.explicitKey = nil }
                    let text = name.map { String(utf8: gatherer.bytes.span.extracting($0)) }
                    row.title = gatherer.appendLoose(text ?? "\(number + 1)")
                    row.titleSource = -1
                }
            }
            rows.append(row)
        }
        return try assembler.assemble(
            rows.span, from: gatherer.bytes.span,
            parts: LevelAssembler.Parts(
                children: level.children, form: level.form, mayHoldTextBeyondXML: level.rowsHoldTextBeyondXML))
    }
}

extension RowGatherer {
    /// The text of a title as a range of the bytes: in its field, or appended.
    fileprivate mutating func appendText(of title: PackedTitle) -> Range<Int> {
        switch title.text {
        case .range(let range): range
        case .made(let text): appendLoose(text)
        }
    }
}

extension Level {
    /// Whether a row of a document that is read as it is stands for a dictionary.
    func isDictionary(_ row: Int) -> Bool {
        let parts = self.row(row)
        let bytes = bytes
        if parts.isString || parts.fields.isEmpty && child(row)?.form == .list { return false }
        return PackedField.last(in: parts.fields, of: bytes.span, where: \.isHole)?.form(in: bytes.span) != .value
    }

    /// Whether a row stands for a map: a dictionary that is not empty and has only rows as values.
    func isMap(_ row: Int) -> Bool {
        let fields = self.row(row).fields
        let bytes = bytes
        return !fields.isEmpty
            && PackedField.all(in: fields, of: bytes.span).allSatisfy { $0.form(in: bytes.span) == .members }
    }

    fileprivate func has(_ path: [[UInt8]], row: Int) -> Bool {
        let bytes = bytes
        return PackedTitle.value(path, of: self.row(row).fields, in: bytes.span) != nil
    }

    fileprivate func hasKey(_ name: [UInt8], row: Int) -> Bool {
        let bytes = bytes
        return PackedTitle(key: [name], of: self.row(row).fields, in: bytes.span) != nil
    }

    /// The fields that give the titles and the keys of the dictionaries, judged by the first one that has them.
    var titles: RowTitles {
        let bytes = bytes
        var titles = RowTitles()
        for number in 0..<rowCount where titles.title.isEmpty || titles.keys.isEmpty {
            let row = row(number)
            guard isDictionary(number), row.titleSource >= 0 || row.keySource >= 0 else { continue }
            for field in PackedField.all(in: row.fields, of: bytes.span) where field.form(in: bytes.span) == nil {
                if titles.keys.isEmpty, field.value == row.keySource {
                    titles.keys = [Array(copying: bytes.span.extracting(field.name))]
                }
                guard titles.title.isEmpty, field.range.contains(row.titleSource) else { continue }
                titles.title = [Array(copying: bytes.span.extracting(field.name))]
                guard let inner = PackedReader(bytes: bytes.span, at: field.value).fields else { continue }
                let name = PackedField.all(in: inner, of: bytes.span).first { $0.range.contains(row.titleSource) }?.name
                if let name { titles.title.append(Array(copying: bytes.span.extracting(name))) }
            }
        }
        return titles
    }
}

extension PackedField {
    /// The form of the rows whose place the field is; nil for other fields.
    func form(in bytes: Span<UInt8>) -> LevelForm? { isHole ? LevelForm(rawValue: bytes[value + 1]) : nil }
}
