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
    private var reading = NaturalReading()
    private var open: [OpenContainer] = []
    private var census = ItemCensus()
    /// The names of the open containers and entries, as one stack of bytes.
    private var names = ByteBuffer()
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
        /// The names of the dictionaries in the container.
        var titles: TitleSurvey?
    }

    /// Creates a survey before the first event.
    public init() {}

    /// The outcome, after the last event.
    public consuming func finish() -> NaturalReading {
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
                if open[last].titles == nil, !open[last].isDictionary || !open[last].hasScalars {
                    open[last].titles = TitleSurvey()
                }
            }
        }
        open.append(
            OpenContainer(
                number: reading.openContainer(), isDictionary: isDictionary, name: open.last?.key,
                namesEnd: names.count))
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
        let text = Array(copying: names.span.extracting(name))
        let hash = TableHash.of(text.span)
        namedArrays.append((UInt32(open[open.count - 2].number), hash))
        guard !reading.isChildrenName(hash: hash) else { return }
        var isOne = text.span.isEqual(ignoringCase: "children")
        if open.count >= 4, !open[open.count - 3].isDictionary, let outer = open[open.count - 3].name {
            isOne = isOne || names.span.extracting(outer).isEqual(to: text.span)
        }
        if isOne { reading.addChildrenName(text, hash: hash) }
    }

    private mutating func end() {
        census.end()
        let container = open.removeLast()
        let isMap = container.isDictionary && container.hasContainers && !container.hasScalars
        if isMap { reading.note(.isMap, of: container.number) }
        if let titles = container.titles, !container.isDictionary || isMap {
            let chosen = titles.chosen(isMap: container.isDictionary)
            if chosen != RowTitles() { reading.note(chosen, of: container.number) }
        }
        guard container.isDictionary, let last = open.indices.last else { return }
        open[last].titles?.endDictionary(isMap: isMap)
    }

    // MARK: Values

    /// Notes the value of an entry for the titles of the list or map above its dictionary, and for those one above.
    private mutating func noteValue(text: Span<UInt8>?) {
        let last = open.count - 1
        guard last >= 1, open[last].isDictionary, let key = open[last].key else { return }
        let isFlat = open[last - 1].titles?.takesNames == true
        let outer = last >= 2 && open[last - 1].isDictionary ? open[last - 1].key : nil
        let isDeep = outer != nil && open[last - 2].titles?.takesNames == true
        guard isFlat || isDeep else { return }
        var kind: TitleSurvey.TextKind?
        if let text { kind = TitleSurvey.TextKind(text) }
        if isFlat { open[last - 1].titles?.note(names.span.extracting(key), in: nil, text: kind) }
        guard isDeep, let outer else { return }
        open[last - 2].titles?.note(names.span.extracting(key), in: names.span.extracting(outer), text: kind)
    }

    private mutating func noteKey(isKey: Bool) {
        let last = open.count - 1
        guard last >= 1, open[last].isDictionary, !open[last - 1].isDictionary, let key = open[last].key else { return }
        open[last - 1].titles?.noteKey(names.span.extracting(key), isKey: isKey)
    }

    private mutating func noteScalar(isString: Bool = false) {
        census.scalar(isString: isString)
        guard let last = open.indices.last else { return }
        open[last].hasScalars = true
        // A dictionary with a scalar is not a map, so its values do not need titles.
        if open[last].isDictionary { open[last].titles = nil }
    }

    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        noteScalar(isString: true)
        noteValue(text: text)
        noteKey(isKey: KeyCandidates.isKey(text: text))
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        noteScalar()
        noteValue(text: nil)
        if case .integer = value { noteKey(isKey: true) } else { noteKey(isKey: false) }
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        noteScalar()
        noteValue(text: nil)
    }

    public static var omitsNullEntries: Bool { true }

    public mutating func null() throws(PropertyListError) {}
}
