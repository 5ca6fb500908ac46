import HTTPServer
import Levels
import PropertyLists
import Testing

@testable import LevelsAPI

/// The tables of query options decide which options are read, refused, linked and compared.
@Suite struct QueryOptionTests {
    private static let operations = Endpoint.all.filter { $0.audience != .browsers }.flatMap { endpoint in
        endpoint.operations.map { (String(describing: endpoint.name), $0.method, $0.options) }
    }

    /// Options of no endpoint; they record the values that they read in `revision`.
    private static let options = QueryOptions([
        QueryOption(name: "wide", grammar: "*CHAR", summary: "Is read last.", excludes: ["narrow"], phase: .layout) {
            note("wide", $0, &$1)
        },
        QueryOption(name: "narrow", grammar: "*CHAR", summary: "Is not in the link.", links: []) {
            note("narrow", $0, &$1)
        },
        QueryOption(name: "where", grammar: "*CHAR", summary: "May be repeated.", isRepeatable: true) {
            note("where", $0, &$1)
        },
        QueryOption(name: "late", grammar: "*CHAR", summary: "Is read first.", links: [], phase: .delivery) {
            note("late", $0, &$1)
        },
    ])

    private static func note(_ name: String, _ value: String, _ values: inout QueryValues) {
        values.revision = (values.revision ?? "") + "\(name)=\(value) "
    }

    private static func query(_ text: String) throws -> Query { try Query(text: text.utf8Span.span, options: options) }

    @Test("Each option of each endpoint is described, and named once")
    func described() {
        for (endpoint, _, options) in Self.operations {
            #expect(Set(options.names).count == options.names.count, "\(endpoint)")
            for option in options.all {
                #expect(option.summary.last == ".", "\(option.name)")
                #expect(!option.grammar.isEmpty, "\(option.name)")
                #expect(option.excludes.allSatisfy { options[$0] != nil }, "\(option.name)")
            }
        }
    }

    @Test("An unknown name is answered with the names in the endpoint's table, in their order")
    func unknown() throws {
        let desk = try EditDesk(#"["a"]"#)
        for (endpoint, method, options) in Self.operations {
            let list = options.names.map { "\"\($0)\"" }.joined(separator: ",")
            let end = list.isEmpty ? #""parameter":"§"}"# : #""parameter":"§","allowed":[\#(list)]}"#
            let body = method == .get ? nil : "{}"
            #expect(desk.send(method, "\(endpoint)?%C2%A7", body).line.hasSuffix(end), "\(method) \(endpoint)")
        }
    }

    @Test("Numbers are taken from the first to the last of their range, and refused beside it")
    func range() throws {
        let desk = try Desk(#"["a"]"#)
        for option in QueryOptions.level.all {
            guard let range = option.range else { continue }
            let required = option.requires.map { "&\($0)=1" }.joined()
            for value in [range.lowerBound, range.upperBound] {
                #expect(desk.get("/levels/?\(option.name)=\(value)\(required)").status == 200)
            }
            for value in [range.lowerBound - 1, range.upperBound + 1] {
                #expect(desk.get("/levels/?\(option.name)=\(value)\(required)").status == 400)
            }
        }
    }

    @Test("Options are read by their phase, then in the order of the table, repeated ones in that of their values")
    func order() throws {
        let query = try Self.query("where=2&late=x&narrow=y&where=1")
        var values = QueryValues()
        try query.readDelivery(.init(target: "/"), into: &values)
        #expect(values.revision == "late=x ")
        try query.readAnswer(into: &values)
        #expect(values.revision == "late=x narrow=y where=1 where=2 ")
    }

    @Test("A query of rows is plain data: equal queries are equal, and it says what it asks")
    func plain() throws {
        func rows(_ text: String) throws -> RowQuery {
            var values = QueryValues()
            try Query(text: text.utf8Span.span, options: .level).readAnswer(into: &values)
            return values.rows
        }
        let text =
            "where=Price%3C10&any=Kind&any=!Price&sort=-Price,Title&q=an&in=Text,Title&group=Kind&limit=20&start=40&sections=page"
            + "&fields=Text"
        let reversed = text.split(separator: "&").reversed()
        #expect(try rows(text) == rows(reversed.joined(separator: "&")))
        #expect(try rows(text) != rows(text + "&where=Price%3E1"))
        #expect(try rows(text) != rows(text + "&any=Price%3E1"))
        #expect(
            try rows(text).description
                == "where Price<10; any !Price; any Kind; search an in Title,Text; sort -Price,Title; group Kind; limit 20; start 40; sections of the page; fields Text"
        )
        #expect(try rows("depth=2&expand=a%20b/c").description == "depth 2, expand a%20b/c")
        #expect(try rows("sections=20").description == "at most 20 sections")
        #expect(RowQuery().description == "")
    }

    @Test("The best hits come first unless fields, an order or letters are named, in whatever order the options are")
    func ranked() throws {
        for (text, isRanked) in [
            ("q=a", true), ("q=a&group=Kind", true), ("sort=&q=a", false), ("q=a&sort=Title", false),
            ("q=a&in=Title", false), ("group=initial&q=a", false), ("q=a&group=initial", false), ("", false),
        ] {
            var values = QueryValues()
            try Query(text: text.utf8Span.span, options: .level).readAnswer(into: &values)
            #expect(values.rows.isRanked == isRanked, "\(text)")
        }
    }

    @Test("Only an option that is repeatable may come twice")
    func repeated() throws {
        let problem = #expect(throws: Problem.self) { try Self.query("where=1&narrow=1&where=2&narrow=2") }
        #expect(problem?.detail == "The parameter 'narrow' appears more than once; give it once.")
    }

    @Test(
        "Options that exclude each other are refused, whichever comes first", arguments: ["wide&narrow", "narrow&wide"])
    func excluded(_ text: String) throws {
        let query = try Self.query(text)
        let problem = #expect(throws: Problem.self) { try query.check() }
        #expect(problem?.detail == "'wide' cannot be combined with 'narrow'; leave one of them out.")
    }
}
