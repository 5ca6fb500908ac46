import PropertyLists
import Testing

@testable import Levels
@testable import TestDocuments

/// Structural keys and strategies that the service does not have, made as a new one would be.
@Suite struct SlotTests {
    @Test(
        "A new slot and a new strategy make a level when the item ends, wherever the slots are in it",
        arguments: [
            Example(
                "after its rows", #"{"Ranking":["x","y"],"Order":"reverse"}"#, #"Root {"Order":"reverse"}|  y|  x"#),
            Example(
                "before its rows", #"{"Order":"reverse","Ranking":["x","y"]}"#, #"Root {"Order":"reverse"}|  y|  x"#),
            Example("an empty slot", #"{"Ranking":["x","y"],"A":1}"#, #"Root {"A":1}|  x|  y"#),
            Example("a key that comes again", #"{"Ranking":["x"],"Ranking":["y","z"]}"#, "Root {}|  y|  z"),
            Example(
                "within other levels",
                #"[{"Title":"a","Ranking":[{"Title":"b","Children":["x","y"]},"c"],"Order":"reverse"},{"Title":"d"}]"#,
                #"Root {}|  a {"Title":"a","Order":"reverse"}|    c|    b {"Title":"b"}|      x|      y|  d {"Title":"d"}"#
            ),
            Example(
                "around other levels",
                #"{"Sections":[["x",{"Title":"a","Order":"reverse","Ranking":["y",{"Title":"b","Rows":["z"]}]}]]}"#,
                #"Root {}|  [-]|  x|  a {"Title":"a","Order":"reverse"}|    b {"Title":"b"}|      z|    y"#),
        ])
    func strategy(_ example: Example) throws {
        let lines = try Outline.of(tree(example.document)).replacing("\n", with: "|")
        #expect(lines == example.expected)
    }

    @Test(
        "A new slot has the errors and warnings of the others",
        arguments: [
            Example(
                "a text in place of a list", "{\"Ranking\":\n\"a\"}",
                "2:1: in /: 'Ranking' must be an array of items, not text"),
            Example(
                "a list in place of a text", "[{\"Title\":\"a\",\n\"Order\":[]}]",
                "2:9: in /a: an Order must be text, not an array"),
            Example(
                "two slots for one level", "{\"Ranking\":[],\n\"Children\":[]}",
                "2:1: in /: the item has both 'Ranking' and 'Children'; only one of them can hold its level"),
            Example(
                "a value that the strategy refuses, at its key", "{\"Ranking\":[],\n\"Order\":\"random\"}",
                "2:1: in /: the Order must be 'reverse', not 'random'"),
            Example(
                "an array among the items", "{\"Ranking\":[\n[]]}",
                "2:1: in /: an item must be a string or a dictionary, not an array; for sections every element must be an array"
            ),
            Example(
                "a text among the records", "{\"Table\":[{},\n\"a\"]}",
                "2:1: in /: element 2 of the array is text, but a record must be a dictionary"),
            Example(
                "an array among the records", "{\"Table\":[\n[]]}",
                "2:1: in /: element 1 of the array is an array, but a record must be a dictionary"),
            Example(
                "a slip", "[{\"Title\":\"a\",\n\"Rankign\":[]}]",
                "2:1: in /a: 'Rankign' is kept as a field; did you mean 'Ranking'?"),
            Example(
                "a slip in another case", "[{\"Title\":\"a\",\"rankign\":\n[]}]",
                "2:1: in /a: 'rankign' is kept as a field; did you mean 'Ranking'?"),
        ])
    func checks(_ example: Example) throws {
        do throws(PropertyListError) {
            let tree = try tree(example.document)
            #expect(tree.warnings.first.map(\.description) == [example.expected])
        } catch {
            #expect(error.description == example.expected)
        }
    }

    @Test(
        "A strategy makes items of records, whose keys are all fields",
        arguments: [
            Example(
                "with a title from each", #"{"Table":[{"Name":"x","Title":1},{"Name":2,"Rows":[5]}],"TitleBy":"Name"}"#,
                #"Root {"TitleBy":"Name"}|  x {"Name":"x","Title":1}|  2 {"Name":2,"Rows":[5]}"#),
            Example(
                "without one", #"{"TitleBy":"Name","Table":[{"Name":[]},{"A":1,"A":2}]}"#,
                #"Root {"TitleBy":"Name"}|  (1) {"Name":[]}|  (2) {"A":2}"#),
            Example("none", #"{"Table":[]}"#, "Root {}"),
        ])
    func records(_ example: Example) throws {
        let lines = try Outline.of(tree(example.document)).replacing("\n", with: "|")
        #expect(lines == example.expected)
    }

    @Test("An item keeps nothing of the item before it")
    func nextItem() throws {
        let document =
            #"[{"Title":"a","Key":"k","Rows":["x"]},{"Title":"b"},{"Title":"c","Sections":[["y"]]},{"Key":"d"}]"#
        #expect(
            try Outline.of(Document.tree(document)) == """
                Root {}
                  k (a) {"Title":"a","Key":"k"}
                    x
                  b {"Title":"b"}
                  c {"Title":"c"}
                    [-]
                    y
                  d () {"Key":"d"}
                """)
    }

    @Test(
        "Each slot has a number of its own, and a message if it does not allow every value",
        arguments: [Slot.ofItems, Slot.ofSections])
    func table(_ slots: [Slot]) {
        #expect(Set(slots.map(\.number.rawValue)).count == slots.count)
        for slot in slots {
            #expect(0 < slot.number.rawValue && Int(slot.number.rawValue) < SlotNumber.count)
            #expect((slot.fieldKinds == .all) == (slot.demand == nil), "\(slot.names(in: .init()))")
        }
    }

    private func tree(_ text: String) throws(PropertyListError) -> Tree {
        var builder = TreeBuilder(names: .init(), slots: Slot.ofItems + [.ranking, .order, .table])
        try Document.read(text, into: &builder)
        return try builder.finish()
    }
}

extension Slot {
    fileprivate static let ranking = Slot(number: .ranking, names: .fixed("Ranking"), array: .ranking) { name in
        "'\(name)' must be an array of items"
    }

    fileprivate static let order = Slot(number: .order, names: .fixed("Order"), fieldKinds: .text) { _ in
        "an Order must be text"
    }
}

extension Slot {
    fileprivate static let table = Slot(number: .table, names: .fixed("Table"), array: .table) { name in
        "'\(name)' must be an array of dictionaries"
    }
}

extension SlotNumber {
    fileprivate static let ranking = SlotNumber(rawValue: 20)
    fileprivate static let order = SlotNumber(rawValue: 21)
    fileprivate static let table = SlotNumber(rawValue: 22)
}

extension ListRule {
    fileprivate static let table = ListRule(kind: .records, form: .rows, strategy: Numbered.self)
    fileprivate static let ranking = ListRule(kind: .rows, form: .rows, strategy: Ranked.self)
}

/// Reverses the rows if the item's `Order` says so.
private enum Ranked: LevelStrategy {
    static func level(
        of rows: SetAsideRows, in item: GatheredItem, builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level {
        guard let order = builder.text(of: .order, in: item) else { return try builder.level(of: rows) }
        guard order == "reverse" else {
            throw PropertyListError(
                reason: "the Order must be 'reverse', not '\(order)'", at: builder.position(of: .order, in: item))
        }
        var rows = rows
        rows.reorder(rows.rows.indices.reversed())
        return try builder.level(of: rows)
    }
}

/// Titles each record with the field that the item's `TitleBy` names, else with its number.
private enum Numbered: LevelStrategy {
    static func level(
        of rows: SetAsideRows, in item: GatheredItem, builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level {
        var rows = rows
        let name = builder.text(of: .titleBy, in: item) ?? "Title"
        for row in rows.rows.indices {
            let text = PackedDictionary(bytes: rows.bytes.span, fields: rows.rows[row].fields).scalarText(name)
            let start = rows.bytes.count
            rows.bytes += (text ?? "(\(row + 1))").utf8
            rows.rows[row].title = start..<rows.bytes.count
        }
        return try builder.level(of: rows)
    }
}
