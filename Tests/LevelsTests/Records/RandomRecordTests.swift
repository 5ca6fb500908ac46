import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Random tables against the plain model, and written as documents that read back the same.
@Suite struct RandomRecordTests {
    @Test("Random tables have the levels of the model")
    func levels() throws {
        for seed in 0..<400 as Range<UInt64> {
            var table = RandomTable(seed: seed)
            let (model, records) = table.next()
            let document = try Self.item(model, records).tree().document
            let expected = model.nodes(of: records)
            let found = try RecordModel.Node.all(in: document.child(0))
            #expect(found == expected, "seed \(seed)")
        }
    }

    @Test("A table is written as its records in their order, and reads back as the same tree")
    func walk() throws {
        for seed in 0..<200 as Range<UInt64> {
            var table = RandomTable(seed: seed)
            let (model, records) = table.next()
            let item = Self.item(model, records)
            let document = try item.tree().document
            let told = try tell(Item(rootOf: document))
            #expect(told.difference(from: item) == nil, "seed \(seed)")
            #expect(try told.tree().document.hash == document.hash, "seed \(seed)")
        }
    }

    @Test("A made item is written with its own records, and reads back as the levels below it")
    func madeItems() throws {
        for seed in 0..<100 as Range<UInt64> {
            var table = RandomTable(seed: seed)
            let (model, records) = table.next()
            // Numbers in the table would be others in the part of it.
            let titled = records.enumerated().map { number, entries in
                entries.filter { $0.key != model.titleField } + [Value.Entry(model.titleField, .string("r\(number)"))]
            }
            let document = try Self.item(model, titled).tree().document
            var waiting = [Item(rootOf: document)]
            while let item = waiting.popLast() {
                guard let level = item.level else { continue }
                for row in level.rowNumbers where level.form == .facets {
                    let below = Item(item.steps + [Item.Step(level: level, row: row)])
                    waiting.append(below)
                    let again = try tell(below).tree().document
                    #expect(again.title(0).utf8.elementsEqual(level.title(row).utf8), "seed \(seed)")
                    let nodes = try RecordModel.Node.all(in: again.child(0))
                    let expected = try RecordModel.Node.all(in: level.child(row))
                    #expect(nodes == expected, "seed \(seed)")
                }
            }
        }
    }

    @Test("A record is written as the dictionary that it is, an empty one too")
    func record() throws {
        let document = try Document.tree(#"{"DrillBy":["A"],"Records":[{},{"A":"x","Rows":[1]}]}"#).document
        let root = Item(rootOf: document)
        let level = try #require(root.level)
        func told(_ row: Int) throws -> Value {
            let below = try #require(level.child(row))
            return try tell(Item(root.steps + [.init(level: level, row: row), .init(level: below, row: 0)]))
        }
        let rows = Value.array([.integer(PropertyListInteger(Int64(1)))])
        #expect(try told(0) == .dictionary([]))
        #expect(try told(1) == .dictionary([.init("A", .string("x")), .init("Rows", rows)]))
    }

    @Test("A made item is written with the fields that are left to drill by, and those of titles and keys")
    func leftDrilling() throws {
        let record = Value.dictionary(["A", "B", "N", "K"].map { Value.Entry($0, .string($0.lowercased())) })
        let rest: [Value.Entry] = [
            .init("TitleBy", .string("N")), .init("KeyBy", .string("K")), .init("Records", .array([record])),
        ]
        let fields = Value.array([.string("A"), .string("B")])
        let root = Item(rootOf: try Value.dictionary([Value.Entry("DrillBy", fields)] + rest).tree().document)
        let level = try #require(root.level)
        let expected: [Value.Entry] = [.init("Title", .string("a")), .init("DrillBy", .array([.string("B")]))]
        let told = try tell(Item(root.steps + [.init(level: level, row: 0)]))
        #expect(told.difference(from: .dictionary(expected + rest)) == nil)
    }

    @Test("A table in a file is written as the file's name")
    func file() throws {
        let document = try Document.tree(#"{"A":1,"Records":"all.csv","DrillBy":["B"]}"#).document
        let expected: [Value.Entry] = [
            .init("A", .integer(PropertyListInteger(Int64(1)))), .init("Records", .string("all.csv")),
            .init("DrillBy", .array([.string("B")])),
        ]
        #expect(try tell(Item(rootOf: document)).difference(from: .dictionary(expected)) == nil)
    }

    @Test("items below DrillBy cannot be edited, nor a table through its item; all others can")
    func editing() throws {
        let document = try Document.tree(
            #"[{"Title":"t","DrillBy":["A"],"Records":[{"A":"x"}]},{"Title":"f","DrillBy":[],"Records":"a.csv"},"z"]"#
        ).document
        var session = EditSession(document: document)
        let item = PropertyListValue.string("n")
        func path(_ text: String) throws -> ItemPath { try ItemPath(Array(text.utf8).span) }
        func expectRefusal(_ edit: Edit) {
            let error = #expect(throws: EditRefusal.self) { try session.apply(EditBatch([edit], isExact: false)) }
            #expect(
                error?.detail
                    == "Items below 'DrillBy' are made from the records of a table; edit the records in the document or its file."
            )
        }
        expectRefusal(.delete(try path("/t/x")))
        expectRefusal(.put(item, at: try path("/t/x"), onlyIfNew: false))
        for owner in ["/t", "/t/x", "/f"] {
            expectRefusal(.insert(item, below: try path(owner), at: .first, section: nil))
        }
        _ = try session.apply(
            EditBatch([.move(path("/t"), below: path(""), at: .offset(2), section: nil)], isExact: false))
        let expected = try Document.tree(
            #"[{"Title":"f","DrillBy":[],"Records":"a.csv"},"z",{"Title":"t","DrillBy":["A"],"Records":[{"A":"x"}]}]"#)
        #expect(session.document.hash == expected.document.hash)
    }

    private static func item(_ model: RecordModel, _ records: [[Value.Entry]]) -> Value {
        RecordTests.item(records.map(Value.dictionary), model.fields, titleBy: model.titleField)
    }

    private func tell(_ item: Item) throws -> Value {
        var reader = ValueReader()
        var walk = TreeWalk(item)
        try walk.finish(to: &reader)
        return try #require(reader.values.first)
    }
}

/// Tables with values of every type, absent and empty ones, and texts that are the same after NFC.
private struct RandomTable {
    private var generator: SeededGenerator
    private static let columns = ["A", "B", "C", "Title"]

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> (RecordModel, [[Value.Entry]]) {
        let fields = (0..<generator.below(4)).map { _ in Self.columns[generator.below(4)] }
        let records = (0..<generator.below(60)).map { _ in record() }
        return (RecordModel(fields: fields, titleField: Self.columns[generator.below(4)]), records)
    }

    private mutating func record() -> [Value.Entry] {
        var entries: [Value.Entry] = []
        for column in Self.columns.shuffled(using: &generator) where !generator.one(in: 4) {
            entries.append(Value.Entry(column, value()))
        }
        return entries
    }

    private mutating func value() -> Value {
        switch generator.below(14) {
        case 0: .string("")
        case 1: .string("(none)")
        case 2: .string("e\u{301}")
        case 3: .string("\u{E9}")
        case 4: .integer(PropertyListInteger(Int64(generator.below(3)) - 1))
        case 5: .string("\(generator.below(3) - 1)")
        case 6: .real(Double(generator.below(3)) / 2)
        case 7: .boolean(generator.one(in: 2))
        case 8: .date(Double(generator.below(2)) * 86_400)
        case 9: .data([UInt8](repeating: 7, count: generator.below(3)))
        case 10: .array((0..<generator.below(2)).map { _ in value() })
        case 11: .dictionary([Value.Entry("k", .integer(PropertyListInteger(Int64(generator.below(2)))))])
        default: .string(["x", "y", "zz", ".", ".."][generator.below(5)])
        }
    }
}
