import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// A walk over a tree sends the document that the tree was built from.
@Suite struct WalkTests {
    @Test(
        "A document without repeated keys and SectionKeys comes back event for event",
        arguments: [
            "[]", #"["a",""]"#, #"{"Rows":[]}"#, #"{"A":1,"Children":["a"],"B":2}"#, #"{"Title":5,"Rows":["a"]}"#,
            #"[{"Title":"a","Children":[]},{"Key":"k","Rows":["b",{"Title":"c"}]}]"#, #"[["a"],[],["b"]]"#, "[[],[]]",
            #"{"Children":[["a"],["b"]],"SectionTitles":["A",2]}"#,
            #"{"SectionTitles":["A"],"Sections":[["a"],{"X":1,"Title":"B","Y":{"Z":[]},"Rows":["b"],"Index":"i"}]}"#,
            #"{"Sections":[{"Title":"A"},{"Rows":[],"Footer":"f"},{"Title":5,"Index":2.5,"Footer":true,"Rows":["c"]}]}"#,
            #"{"Sections":{"B":["x"],"A":[{"Title":"y","Rows":["z"]}],"C":[]}}"#, #"{"Sections":[]}"#,
            #"{"Sections":{}}"#,
        ])
    func events(_ text: String) throws {
        let value = try read(text)
        let tree = try value.tree()
        let told = try tell(tree.document, row: 0)
        #expect(told.difference(from: value) == nil)
    }

    @Test(
        "Named sections keep their order in the dictionary, which SectionKeys do not change",
        arguments: [
            #"{"SectionKeys":["C","A"],"Sections":{"A":["a"],"B":["b"],"C":["c"]}}"#,
            #"{"Sections":{"D":[],"C":["c"],"B":["b"],"A":["a"]},"SectionKeys":["A","B","C","D"]}"#,
            #"{"SectionKeys":["B","C","A"],"Sections":{"A":["a"],"B":["b"],"C":["c"]}}"#,
            #"{"SectionKeys":[],"Sections":{"A":["a"],"B":["b"]}}"#,
            #"{"SectionKeys":["B"],"Sections":{"A":[],"B":[]}}"#,
        ])
    func sectionKeys(_ text: String) throws {
        let tree = try Document.tree(text)
        #expect(try tell(tree.document, row: 0).difference(from: read(text)) == nil)
    }

    @Test("An edit leaves named sections in their order in the dictionary")
    func editedSections() throws {
        var example = try SessionExample(
            #"{"SectionKeys":["C","A"],"Sections":{"A":["a"],"B":["b"],"C":["c"]}}"#)
        try example.apply(.insert(#""d""#, "/", .last, section: 0), .delete("/a"))
        let expected = try read(#"{"SectionKeys":["C","A"],"Sections":{"A":[],"B":["b"],"C":["c","d"]}}"#)
        #expect(try tell(example.session.document, row: 0).difference(from: expected) == nil)
    }

    @Test("The order of named sections in the dictionary is no part of the version where SectionKeys give one")
    func versionOfSections() throws {
        let one = try Document.tree(#"{"SectionKeys":["B","A"],"Sections":{"A":["a"],"B":["b"]}}"#)
        let other = try Document.tree(#"{"SectionKeys":["B","A"],"Sections":{"B":["b"],"A":["a"]}}"#)
        #expect(one.document.hash == other.document.hash)
    }

    @Test(
        "Random documents come back as the same tree, in one piece and through each format",
        arguments: Value.Format.allCases)
    func random(_ format: Value.Format) throws {
        for seed in 0..<100 as Range<UInt64> {
            var random = RandomDocument(seed: seed, format.contents)
            let tree = try random.document().tree()
            let told = try tell(tree.document, row: 0)
            #expect(try told.tree().document.hash == tree.document.hash, "seed \(seed)")
            let bytes = try told.bytes(as: format)
            var builder = TreeBuilder(isXML: format == .xml)
            try format.read(bytes, into: &builder)
            #expect(try builder.finish().document.hash == tree.document.hash, "seed \(seed)")
        }
    }

    @Test("Random documents without repeated keys and SectionKeys come back event for event")
    func randomEvents() throws {
        for seed in 1_000..<1_250 as Range<UInt64> {
            var random = RandomDocument(seed: seed, [.dates, .data, .uids, .nonfinite, .textBeyondXML])
            let value = random.document()
            let told = try tell(value.tree().document, row: 0)
            let difference = told.difference(from: value)
            #expect(difference == nil, "seed \(seed)")
        }
    }

    @Test("Random property lists come back as the same tree of shape any", arguments: Value.Format.allCases)
    func anyShape(_ format: Value.Format) throws {
        for seed in 0..<250 as Range<UInt64> {
            var random = RandomDocument(seed: seed, format.contents)
            let tree = try random.value(depth: 5).anyTree()
            let told = try tell(tree.document, row: 0)
            #expect(try told.anyTree().document.hash == tree.document.hash, "seed \(seed)")
            var builder = AnyTreeBuilder(isXML: format == .xml)
            try format.read(told.bytes(as: format), into: &builder)
            #expect(try builder.finish().document.hash == tree.document.hash, "seed \(seed)")
        }
    }

    @Test("Random property lists without repeated keys come back event for event from shape any")
    func anyEvents() throws {
        for seed in 2_000..<2_250 as Range<UInt64> {
            var random = RandomDocument(seed: seed, [.dates, .data, .uids, .nonfinite, .textBeyondXML])
            let value = random.value(depth: 5)
            let told = try tell(value.anyTree().document, row: 0)
            let difference = told.difference(from: value)
            #expect(difference == nil, "seed \(seed)")
        }
    }

    @Test("Random property lists without repeated keys come back event for event from documents as they are")
    func naturalEvents() throws {
        for seed in 3_000..<3_250 as Range<UInt64> {
            var random = RandomDocument(seed: seed, [.dates, .data, .uids, .nonfinite, .textBeyondXML])
            let value = Value.array([random.value(depth: 6), random.value(depth: 5)])
            let told = try tell(value.naturalTree().document, row: 0)
            let difference = told.difference(from: value)
            #expect(difference == nil, "seed \(seed)")
        }
    }

    @Test("Any item with a level is a document of its own, with the same level")
    func items() throws {
        for seed in 3_000..<3_060 as Range<UInt64> {
            var random = RandomDocument(seed: seed, .binary)
            var waiting = [try random.document().tree().document]
            while let level = waiting.popLast() {
                for row in 0..<level.count {
                    guard let below = level.child(row) else { continue }
                    waiting.append(below)
                    let document = try tell(level, row: row).tree().document
                    #expect(document.child(0)?.hash == below.hash, "seed \(seed), \(level.title(row))")
                }
            }
        }
    }

    @Test("An item without a level is reported as its string or dictionary")
    func leaves() throws {
        let level = try #require(try Document.tree(#"["a",{"Title":"b","X":[1,{"Y":2}]}]"#).document.child(0))
        #expect(try tell(level, row: 0).difference(from: .string("a")) == nil)
        #expect(try tell(level, row: 1).difference(from: read(#"{"Title":"b","X":[1,{"Y":2}]}"#)) == nil)
    }

    @Test("A walk ends with the first event that is refused")
    func refusedEvents() throws {
        let rows = #"{"Title":"a","Tag":[1,{"b":"c"}],"Rows":[["d"],[]]}"#
        let sections = #"{"Title":"e","Sections":[["f"],{"Title":"B","Rows":["g"]}]}"#
        let named = #"{"Title":"h","Sections":{"A":["i"]}}"#
        let table = #"{"Title":"j","DrillBy":["A"],"TitleBy":"B","Records":[{"A":"k","B":"l"}]}"#
        let text = "[\(rows),\(sections),\(named),\(table)]"
        let document = try Document.tree(text).document
        let any = try read(text).anyTree().document
        let items = try #require(document.child(0))
        let value = Item(
            steps: [(document, 0), (items, 3), (try #require(items.child(3)), 0)].map(Item.Step.init), count: 1)
        var walks = [document, any].map { TreeWalk(level: $0, row: 0) } + [TreeWalk(value)]
        walks += items.rowNumbers.map { TreeWalk(fieldsOf: items, row: $0) }
        for walk in walks {
            func count(refusing number: Int?) throws(PropertyListError) -> Int {
                var (walk, consumer) = (walk, EventCounter(refused: number))
                try walk.finish(to: &consumer)
                return consumer.count
            }
            for number in 0..<(try count(refusing: nil)) {
                #expect(throws: EventCounter.refusal, "event \(number)") { try count(refusing: number) }
            }
        }
    }

    private func read(_ text: String) throws -> Value {
        var reader = ValueReader()
        try Document.read(text, into: &reader)
        return try #require(reader.values.first)
    }

    private func tell(_ level: Level, row: Int) throws -> Value {
        var reader = ValueReader()
        var walk = TreeWalk(level: level, row: row)
        try walk.finish(to: &reader)
        #expect(reader.values.count == 1)
        return try #require(reader.values.first)
    }
}

/// Counts events, and refuses one of them.
private struct EventCounter: PropertyListConsumer {
    static let refusal = PropertyListError(reason: "it is refused")

    /// The number of the event to refuse, from 0.
    let refused: Int?
    private(set) var count = 0

    init(refused: Int?) { self.refused = refused }

    private mutating func take() throws(PropertyListError) {
        count += 1
        if count - 1 == refused { throw Self.refusal }
    }

    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) { try take() }
    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) { try take() }
    mutating func endDictionary() throws(PropertyListError) { try take() }
    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) { try take() }
    mutating func endArray() throws(PropertyListError) { try take() }
    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) { try take() }
    mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) { try take() }
    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) { try take() }
    mutating func null() throws(PropertyListError) { try take() }
}
