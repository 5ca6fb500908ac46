import HTTPServer
import Testing

@testable import LevelsAPI
@testable import TestDocuments

/// Queries that are nearly right (manual, Levels).
@Suite struct ForgivingQueryTests {
    private static let items = #"""
        [{"Title":"a","Price":3,"Tags":["x"],"Place":{"town":"Rome"},"Children":[{"Title":"c","Colour":"red"}]},{"Title":"b","price list":1}]
        """#

    private func hints(_ desk: Desk, _ target: String) throws -> String? {
        let text = desk.get(target).line
        guard let start = text.firstRange(of: #","hints":"#) else { return nil }
        return String(text[start.upperBound...].dropLast())
    }

    @Test(
        "A name that no row has is told, with a name of a row that differs by case, a letter or the part before a dot",
        arguments: [
            ("/levels/?sort=price", #"["No row has 'price'; did you mean 'Price'?"]"#),
            ("/levels/?sort=-Prise,Title", #"["No row has 'Prise'; did you mean 'Price'?"]"#),
            ("/levels/?where=price%3C10", #"["No row has 'price'; did you mean 'Price'?"]"#),
            ("/levels/?group=tags", #"["No row has 'tags'; did you mean 'Tags'?"]"#),
            (
                "/levels/?fields=tags,Title,PRICE&sort=PRICE",
                #"["No row has 'PRICE'; did you mean 'Price'?","No row has 'tags'; did you mean 'Tags'?"]"#
            ),
            ("/levels/?q=c&in=Colours", #"["No row has 'Colours'; did you mean 'Colour'?"]"#),
            ("/levels/?depth=2&fields=colour", #"["No row has 'colour'; did you mean 'Colour'?"]"#),
            ("/levels/?sort=price&limit=1", #"["No row has 'price'; did you mean 'Price'?"]"#),
            ("/levels/?any=Prize&any=Price", #"["No row has 'Prize'; did you mean 'Price'?"]"#),
            ("/levels/?where=!Weight", #"["No row has 'Weight'."]"#),
            ("/levels/?sort=-Weight", #"["No row has 'Weight'."]"#),
            ("/levels/?fields=Childen", #"["No row has 'Childen'."]"#),
            ("/levels/?q=c&sort=Weight", #"["No row has 'Weight'."]"#),
            ("/levels/?where=town:Rome", #"["No row has 'town'; did you mean 'Place.town'?"]"#),
            ("/levels/?where=Place.towns", #"["No row has 'Place.towns'; did you mean 'Place.town'?"]"#),
            ("/levels/?sort=Price,desc", #"["No row has 'desc'; did you mean '-Price'?"]"#),
            ("/levels/?sort=-Price,Title,ASC", #"["No row has 'ASC'; did you mean 'Title'?"]"#),
            ("/levels/?sort=desc", #"["No row has 'desc'."]"#),
            (
                "/levels/?where=Price:=5&any=Price%3E%3E5",
                #"["'Price' is compared with '=5'; the operators are :, !, <, <=, >, >=, ~ and !~.","'Price' is compared with '>5'; the operators are :, !, <, <=, >, >=, ~ and !~."]"#
            ),
        ])
    func hints(target: String, expected: String) throws {
        #expect(try hints(Desk(Self.items), target) == expected)
    }

    @Test(
        "Nothing is hinted where all is right, or there are no rows",
        arguments: [
            "/levels/", "/levels/?sort=Price", "/levels/?sort=Title,Key", "/levels/?where=Place.town",
            "/levels/?group=initial", "/levels/?fields=", "/levels/?fields=Price,", "/levels/?where=Title:5&sort=",
            "/levels/?q=c&fields=Colour", "/levels/?fields=*", "/levels/?q=a&in=*", "/levels/?sort=",
            "/levels/b?sort=price",
        ])
    func silent(target: String) throws {
        let answer = try Desk(Self.items).get(target)
        #expect(answer.status == 200)
        #expect(!answer.text.contains("hints"))
    }

    @Test("A hint names only what rows show, not structure, controls or hidden rows")
    func shownFields() throws {
        let hidden = #"{"SectionKeys":["A"],"Sections":{"A":[{"Title":"a"}],"B":[{"Title":"b","Colour":2}]}}"#
        let page = #"{"PreferenceSpecifiers":[{"Type":"PSTitleValueSpecifier","Title":"Sound","Key":"sound"}]}"#
        for (document, name) in [(Self.items, "Childern"), (hidden, "colour"), (page, "contro")] {
            #expect(try hints(Desk(document), "/levels/?fields=\(name)") == #"["No row has '\#(name)'."]"#)
        }
    }

    @Test(
        "Hints look at the first 1,000 rows and at those of the answer",
        arguments: [
            ("/levels/?limit=1&fields=Price", #"["No row has 'Price'; did you mean 'Prise'?"]"#),
            ("/levels/?limit=1&fields=Price&start=1000", nil), ("/levels/?limit=1&sort=Price", nil),
            ("/levels/?limit=1&q=row&in=Price", #"["No row has 'Price'; did you mean 'Prise'?"]"#),
            ("/levels/?limit=1&fields=prise&start=1000", #"["No row has 'prise'; did you mean 'Prise'?"]"#),
        ] as [(String, String?)])
    func firstRows(target: String, expected: String?) throws {
        var rows = (0..<999).map { #""row \#($0)""# }
        rows += [#"{"Title":"row 999","Prise":1}"#, #"{"Title":"row 1000","Price":1}"#]
        #expect(try hints(Desk("[\(rows.joined(separator: ","))]"), target) == expected)
    }

    @Test("The rows of a search are looked at in document order")
    func searchedRows() throws {
        let rows = (0..<999).map { #"{"Title":"row \#($0)"}"# } + [#"{"Title":"x","Price":1}"#]
        let document = #"[{"Title":"a","Children":[\#(rows.joined(separator: ","))]},{"Title":"b","Colour":1}]"#
        #expect(
            try hints(Desk(document), "/levels/?q=zzz&sort=price,colour")
                == #"["No row has 'price'.","No row has 'colour'."]"#)
    }

    @Test("Hints look at the first 1,000 names of the rows")
    func manyFields() throws {
        // `Title` is one of the names.
        for (count, near) in [(998, "; did you mean 'Price'?"), (999, ".")] {
            let fields = (0..<count).map { #""n\#($0)":0"# }.joined(separator: ",")
            let document = #"[{"Title":"a",\#(fields),"Price":1}]"#
            #expect(try hints(Desk(document), "/levels/?sort=price") == #"["No row has 'price'\#(near)"]"#)
            #expect(try hints(Desk(document), "/levels/?sort=Price") == nil)
        }
    }

    @Test(
        "A parameter of another service, or a field as a parameter, is answered with the option that does it",
        arguments: [
            ("page=2", "start"), ("offset=2", "start"), ("order=Price", "sort"), ("orderBy=Price", "sort"),
            ("_sort=Price", "sort"), ("filter[Price]=5", "where"), ("$filter=Price", "where"), ("search=x", "q"),
            ("per_page=5", "limit"), ("page-size=5", "limit"), ("select=Price", "fields"), ("limt=2", "limit"),
            ("WHERE=x", "where"), ("Price=5", "where=Price:5"), ("x.y=", "where=x.y:"),
            ("Price_gte=5", "where=Price>=5"), ("Price__lt=5", "where=Price<5"), ("Price[ne]=5", "where=Price!5"),
            ("a_b_like=x", "where=a_b~x"), ("a_b=x", "where=a_b:x"),
        ])
    func otherNames(query: String, option: String) throws {
        let answer = try Desk(Self.items).get("/levels/?\(query)")
        #expect(answer.status == 400)
        #expect(answer.text.contains(" Did you mean '\(option)'?\""), "\(answer.text)")
    }

    @Test("Hints look at the first 32 names of the query")
    func manyNames() throws {
        let names = (10..<50).map { "name\($0)" }
        let fields = names.map { #""\#($0.uppercased())":1"# }.joined(separator: ",")
        let told = names.prefix(32).map { #""No row has '\#($0)'; did you mean '\#($0.uppercased())'?""# }
        #expect(
            try hints(Desk(#"[{"Title":"a",\#(fields)}]"#), "/levels/?fields=\(names.joined(separator: ","))")
                == "[\(told.joined(separator: ","))]")
    }

    @Test("Hints are also in the changes of a level, and in a property list")
    func otherForms() throws {
        let desk = try Desk(Self.items)
        let whole = desk.get("/levels/?sort=price")
        let version = try #require(whole.text.firstMatch(of: /"version":"([^"]{22})"/)).1
        #expect(try hints(desk, "/levels/?sort=price&since=\(version)") != nil)
        #expect(desk.get("/levels/?sort=price&format=plist").text.contains("<key>hints</key>"))
    }

    private static let waitHint =
        #"["'wait' has no effect without the version that you have: add 'since', or request the link 'follow'."]"#

    @Test(
        "A wait without a version is told, in an answer of the same version",
        arguments: ["/levels/", "/levels/a", "/levels/?sort=Price", "/levels/?q=c", "/detail/a", "/detail/"])
    func idleWait(target: String) throws {
        let desk = try Desk(Self.items)
        let idle = target + (target.contains("?") ? "&" : "?") + "wait=3"
        // Each is answered from the cache, too.
        for _ in 0..<3 {
            let plain = desk.get(target)
            let answer = desk.get(idle)
            #expect(answer.entityTag == plain.entityTag)
            #expect(
                answer.text.replacing(#","hints":\#(Self.waitHint)"#, with: "", maxReplacements: 1) == plain.text)
            #expect(answer.line == plain.line.dropLast() + #","hints":\#(Self.waitHint)}"#)
            #expect(desk.get(idle + "&pretty").text.contains(#""hints": ["#))
        }
    }

    @Test("A wait that has a version, or that is only preferred, is not told, nor one beside another hint")
    func rightWait() throws {
        let desk = try Desk(Self.items)
        #expect(try hints(desk, "/levels/?wait=3") == Self.waitHint)
        #expect(try hints(desk, "/levels/?wait=3&sort=price") == #"["No row has 'price'; did you mean 'Price'?"]"#)
        for (target, fields) in [
            ("/levels/?wait=3&since=x", []), ("/levels/?wait=3&since=x&format=json", []),
            ("/levels/?wait=3", [("If-None-Match", "\"x\"")]), ("/detail/a?wait=3", [("If-None-Match", "\"x\"")]),
            ("/levels/", [("Prefer", "wait=3")]), ("/document?wait=3", []), ("/levels/?wait=3&format=csv", []),
        ] as [(String, [(String, String)])] {
            let answer = desk.get(target, fields)
            #expect(answer.status == 200)
            #expect(!answer.text.contains("hints"), "\(target)")
        }
        let tag = desk.get("/levels/").entityTag
        let request = Request(target: "/levels/?wait=3", fields: [("If-None-Match", tag)])
        #expect(desk.api.respond(to: request).waiter != nil)
    }

    @Test("An empty search is no search")
    func emptySearch() throws {
        let desk = try Desk(Self.items)
        for query in ["q=", "q=&in=Title", "q=&sort=-Title"] {
            #expect(desk.get("/levels/?\(query)").status == 200)
        }
        #expect(desk.get("/levels/?q=").line == desk.get("/levels/").line)
    }

    @Test(
        "A page links to the page before it",
        arguments: [
            ("start=5&limit=2", #""/levels/?limit=2&start=3""#), ("start=1&limit=2", #""/levels/?limit=1&start=0""#),
            ("start=0&limit=2", "null"), ("limit=2", "null"),
            ("start=6&limit=3&sort=-Title", #""/levels/?limit=3&sort=-Title&start=3""#),
            ("start=4", #""/levels/?limit=4&start=0""#),
        ])
    func previous(query: String, link: String) throws {
        let text = try Desk(#"["a","b","c","d","e","f","g"]"#).get("/levels/?\(query)").text
        #expect(text.contains(#""previous":\#(link),"next""#), "\(text)")
    }

    @Test("Probes and problems are indented if the query says so")
    func pretty() throws {
        let desk = try Desk(Self.items)
        #expect(desk.get("/healthz?pretty=true").text == "{\n  \"status\": \"alive\"\n}\n")
        #expect(desk.get("/readyz?pretty=true").text.hasPrefix("{\n  \"status\": \"ok\",\n  \"revision\": \"k3-1\""))
        #expect(desk.get("/healthz?x=1").status == 400)
        #expect(desk.get("/levels/x?pretty=true").text.hasPrefix("{\n  \"type\": \"/problems/no-such-item\",\n"))
        #expect(desk.get("/levels/x?prettytrue").text.hasPrefix("{\"type\""))
        let named = Problem.naming("4f", in: desk.api.response(to: Request(method: .get, target: "/x?pretty=true")))
        #expect(Answer(named).text.hasSuffix("\n  ],\n  \"id\": \"4f\"\n}\n"))
    }

    @Test("The values of all controls come as one object")
    func values() throws {
        let page = #"""
            {"PreferenceSpecifiers":[
            {"Type":"PSToggleSwitchSpecifier","Title":"Sound","Key":"sound","DefaultValue":true},
            {"Type":"PSTextFieldSpecifier","Title":"Name","Key":"name"},
            {"Type":"PSRadioGroupSpecifier","Title":"Order","Key":"order","Values":["a","b"],"Titles":["A","B"],"DefaultValue":"b"}]}
            """#
        let answer = try Desk(page).get("/values")
        #expect(answer.text == "{\"sound\":true,\"order\":\"b\"}\n")
        #expect(answer.header("ETag") != nil)
        #expect(try Desk(Self.items).get("/values?pretty=true").text == "{}\n")
        let below = #"{"Title":"A","Rows":[{"Title":"B","Key":"b","Type":"Slider","Value":1}]}"#
        let beside = #"{"Title":"C","Key":"c","Type":"Slider","Value":2}"#
        #expect(try Desk("[\(below),\(beside)]").get("/values").text == "{\"b\":1,\"c\":2}\n")
    }
}
