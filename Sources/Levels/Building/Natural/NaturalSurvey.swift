internal import Bytes
internal import Heap
public import PropertyLists

/// Surveys a document that is read as it is: decides which containers hold rows, and which fields title these rows
/// (manual, Documents).
///
/// The survey is one pass over the events of the document. It keeps the open containers, and for each container of the
/// document a few bytes. `NaturalTreeBuilder` then reads the document by the outcome.
///
///     var survey = NaturalSurvey()
///     try syntax.read(input, limits: limits, into: &survey)
///     var builder = NaturalTreeBuilder(survey.finish())
public struct NaturalSurvey: PropertyListConsumer, ~Copyable {
    private var reading: NaturalReading
    /// Whether the names of arrays that hold children were given.
    private let hasGivenChildren: Bool
    /// The children names of an earlier reading. They count if an array stands under one of them.
    private let keptChildren: [String]
    private var open: [OpenContainer] = []
    private var census = ItemCensus()
    /// The names of the open containers and entries, as one stack of bytes.
    private var names = ByteBuffer()
    private var fieldNames = SurveyedNames()
    /// The surveys of the open containers, by their depth. A survey is used again for the next container of its depth.
    private var surveys: [TitleSurvey] = []
    /// The arrays that stand under a name in a dictionary, each with the hash of the name: at the end, some of these
    /// names are children names.
    private var namedArrays: [(container: UInt32, name: UInt64)] = []

    private struct OpenContainer {
        let number: Int
        let isDictionary: Bool
        /// The container's own name in `names`; nil for the document and for an element.
        let name: Range<Int>?
        /// The end of the names of the containers around this one.
        let namesEnd: Int
        /// The name of the current entry.
        var key: Range<Int>?
        var hasScalars = false
        var hasContainers = false
        /// Whether the dictionaries in the container are surveyed.
        var hasSurvey = false
    }

    /// Creates a survey before the first event.
    ///
    /// - Parameters:
    ///   - names: the names of titles, keys and children; the survey decides about those that are not given.
    ///   - earlier: what was decided when the document was read before.
    public init(names: StructuralNames = .init(), keeping earlier: KeptReading? = nil) {
        reading = NaturalReading(names: names)
        keptChildren = earlier?.childrenNames ?? []
        let children = names.given(.children)
        hasGivenChildren = children != nil
        for name in children ?? [] { reading.addChildrenName(name) }
    }

    /// The outcome, after the last event.
    public consuming func finish() -> NaturalReading {
        if !hasGivenChildren, !keptChildren.isEmpty {
            let kept = Set(keptChildren.map { TableHash.of($0.utf8Span.span) })
            if namedArrays.contains(where: { kept.contains($0.name) }) {
                reading.replaceChildrenNames(by: keptChildren)
            }
        }
        if !reading.childrenNames.isEmpty {
            for array in namedArrays where reading.isChildrenName(hash: array.name) {
                reading.note(.hasChildren, of: Int(array.container))
            }
        }
        reading.isOfItems = census.isOfItems
        reading.hasItemsOnly = census.hasItemsOnly
        reading.resemblesItems = census.resemblesItems
        return reading
    }

    // MARK: Containers

    public mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        try begin(isDictionary: true)
    }

    public mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try begin(isDictionary: false)
        noteChildrenName()
    }

    public mutating func endDictionary() throws(PropertyListError) { end() }

    public mutating func endArray() throws(PropertyListError) { end() }

    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        census.key(name)
        let last = open.count - 1
        let start = open[last].namesEnd
        names.truncate(to: start)
        names.append(name)
        open[last].key = start..<names.count
    }

    private mutating func begin(isDictionary: Bool) throws(PropertyListError) {
        if reading.count % Self.containersPerCheck == 0 { try checkMemory() }
        census.begin(isDictionary: isDictionary)
        noteValue(text: nil)
        if let last = open.indices.last {
            open[last].hasContainers = true
            if isDictionary {
                if !open[last].isDictionary { reading.note(.isList, of: open[last].number) }
                if !open[last].hasSurvey, !open[last].isDictionary || !open[last].hasScalars {
                    open[last].hasSurvey = true
                    surveys[last].begin()
                }
            }
        }
        open.append(
            OpenContainer(
                number: reading.openContainer(), isDictionary: isDictionary, name: open.last?.key,
                namesEnd: names.count))
        if surveys.count < open.count { surveys.append(TitleSurvey()) }
    }

    /// Checks that memory suffices for twice as many containers, because arrays grow by their own size.
    private func checkMemory() throws(PropertyListError) {
        let needed =
            reading.count * NaturalReading.bytesOfContainer + namedArrays.count * 16 + Self.containersPerCheck * 32
        guard MemoryBudget.hasRoom(for: needed) else {
            throw PropertyListError(shortage: MemoryBudget.shortage(of: needed))
        }
    }

    private static let containersPerCheck = 1 << 16

    /// Takes the name of an array as a children name if the array is an entry of a dictionary that is an element of an
    /// array of the same name, or if the name is `children`.
    private mutating func noteChildrenName() {
        guard let name = open[open.count - 1].name else { return }
        let hash = TableHash.of(names.span.extracting(name))
        namedArrays.append((UInt32(open[open.count - 2].number), hash))
        guard !hasGivenChildren, !reading.isChildrenName(hash: hash) else { return }
        var isOne = names.span.extracting(name).isEqual(ignoringCase: "children")
        if open.count >= 4, !open[open.count - 3].isDictionary, let outer = open[open.count - 3].name {
            isOne = isOne || names.span.extracting(outer).isEqual(to: names.span.extracting(name))
        }
        if isOne { reading.addChildrenName(String(utf8: names.span.extracting(name))) }
    }

    private mutating func end() {
        census.end()
        let container = open.removeLast()
        let isMap = container.isDictionary && container.hasContainers && !container.hasScalars
        if isMap { reading.note(.isMap, of: container.number) }
        if container.hasSurvey, !container.isDictionary || isMap {
            let chosen = surveys[open.count].chosen(isMap: container.isDictionary)
            if chosen != RowTitles() { reading.note(chosen, of: container.number) }
        }
        guard container.isDictionary, let last = open.indices.last, open[last].hasSurvey else { return }
        surveys[last].endDictionary(isMap: isMap)
    }

    // MARK: Values

    /// Notes the value of an entry for the titles of the list or map above its dictionary, and for those one above.
    private mutating func noteValue(text: Span<UInt8>?) {
        let last = open.count - 1
        guard last >= 1, open[last].isDictionary, let key = open[last].key else { return }
        let isFlat = open[last - 1].hasSurvey && surveys[last - 1].takesNames
        let outer = last >= 2 && open[last - 1].isDictionary ? open[last - 1].key : nil
        let isDeep = outer != nil && open[last - 2].hasSurvey && surveys[last - 2].takesNames
        guard isFlat || isDeep else { return }
        if isFlat { surveys[last - 1].note(key, in: nil, of: names, text: text, knownNames: &fieldNames) }
        guard isDeep, let outer else { return }
        surveys[last - 2].note(key, in: outer, of: names, text: text, knownNames: &fieldNames)
    }

    /// The name of the current entry if its value may be the key of an element of a list; otherwise nil.
    private var nameOfKey: Range<Int>? {
        let last = open.count - 1
        guard last >= 1, open[last].isDictionary, !open[last - 1].isDictionary, open[last - 1].hasSurvey,
            let name = open[last].key
        else { return nil }
        return KeyCandidates.isKey(names.span.extracting(name)) ? name : nil
    }

    private mutating func noteKey(_ name: Range<Int>, isKey: Bool) {
        surveys[open.count - 2].noteKey(name, of: names, isKey: isKey)
    }

    private mutating func noteScalar(isString: Bool = false) {
        census.scalar(isString: isString)
        guard let last = open.indices.last else { return }
        open[last].hasScalars = true
        // A dictionary with a scalar is not a map, so its values do not need titles.
        if open[last].isDictionary { open[last].hasSurvey = false }
    }

    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        noteScalar(isString: true)
        noteValue(text: text)
        if let name = nameOfKey { noteKey(name, isKey: PackedTitle.isKey(text)) }
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        noteScalar()
        noteValue(text: nil)
        guard let name = nameOfKey else { return }
        if case .integer = value { noteKey(name, isKey: true) } else { noteKey(name, isKey: false) }
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        noteScalar()
        noteValue(text: nil)
    }

    /// The names of the open entries.
    public func currentPath() -> String? {
        guard !open.isEmpty else { return nil }
        return TitlePath.text(open.compactMap { $0.key.map { String(utf8: names.span.extracting($0)) } })
    }

    public static var omitsNullEntries: Bool { true }

    public mutating func null() throws(PropertyListError) {}
}
