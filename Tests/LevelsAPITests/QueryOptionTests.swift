import HTTPServer
import Levels
import PropertyLists
import Testing

@testable import LevelsAPI

/// The tables of query options: what stands in them is what is read, refused, linked and compared.
@Suite struct QueryOptionTests {
    private static let operations = Endpoint.all.filter { $0.audience != .browsers }.flatMap { endpoint in
        endpoint.operations.map { (String(describing: endpoint.name), $0.method, $0.options) }
    }

    /// A table of options that are not served, which write down what they read.
    private static let madeUp = QueryOptions([
        QueryOption(
            name: "wide", grammar: "*CHAR", summary: "Is read last.", effect: .form, excludes: ["narrow"],
            read: note("wide")),
        QueryOption(
            name: "narrow", grammar: "*CHAR", summary: "Is not in the link.", effect: .content, isInNextLink: false,
            read: note("narrow")),
        QueryOption(
            name: "where", grammar: "*CHAR", summary: "May be repeated.", effect: .content, isRepeatable: true,
            read: note("where")),
        QueryOption(
            name: "late", grammar: "*CHAR", summary: "Is read first.", effect: .delivery, isInNextLink: false,
            read: note("late")),
    ])

    private static func note(_ name: String) -> @Sendable (String, inout LevelQuery) throws(Problem) -> Void {
        { value, query throws(Problem) in query.revision = (query.revision ?? "") + "\(name)=\(value) " }
    }

    private static func query(_ text: String) throws -> Query { try Query(text.utf8Span.span, madeUp) }

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
            for value in [range.lowerBound, range.upperBound] {
                #expect(desk.get("/levels/?\(option.name)=\(value)").status == 200)
            }
            for value in [range.lowerBound - 1, range.upperBound + 1] {
                #expect(desk.get("/levels/?\(option.name)=\(value)").status == 400)
            }
        }
    }

    @Test("Options are read by their effect, then in the order of the table, repeated ones in that of the request")
    func order() throws {
        let query = try Self.query("where=2&late=x&narrow=y&where=1")
        var asked = try LevelQuery(deliveryOf: query, .init(target: "/"), format: .json)
        #expect(asked.revision == "late=x ")
        try asked.readAnswer(query)
        #expect(asked.revision == "late=x narrow=y where=2 where=1 ")
        #expect(asked.linked.map { "\($0.name)=\($0.value)" } == ["where=2", "where=1"])
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
