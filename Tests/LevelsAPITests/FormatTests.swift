import Foundation
import Levels
import Testing

@testable import TestDocuments

/// Answers as property lists, and which format is chosen (manual, Requests and answers).
@Suite struct FormatTests {
    @Test("A level as a property list has the members of the JSON, without null")
    func level() throws {
        let desk = try Desk(
            #"{"Sections":[{"Title":"A","Footer":"<f>","Rows":["a&b",{"Title":"c","Tag":[1,2.5,true]}]}]}"#)
        let answer = desk.get("/levels/?format=plist&limit=2")
        #expect(answer.status == 200)
        #expect(answer.headers == answer.taggedHeaders("application/x-plist", vary: "Accept-Encoding"))
        let versions = answer.text.matches(of: /<key>version<\/key>\s*<string>(.*?)<\/string>/).map(\.output.1)
        try #require(versions.count == 3)
        #expect(answer.entityTag == "\"\(versions[0])\"")
        func value(_ text: String) throws -> [Value] {
            var reader = ValueReader()
            try Document.read(text, into: &reader)
            return reader.values
        }
        let json = desk.get("/levels/?limit=2").line.replacing(/,"\w+":null/, with: "")
        #expect(
            try value(
                answer.text.replacing(/(<key>version<\/key>\s*<string>).*?</) { "\($0.output.1)V<" }
                    .replacing(/\s*<key>follow<\/key>\s*<string>.*?<\/string>/, with: ""))
                == value(json.replacing(/"version":".*?"/, with: #""version":"V""#)))
    }

    @Test("A detail as a property list keeps the types of its fields, and its links escaped")
    func detail() throws {
        let desk = try Desk(
            """
            <array><dict><key>Title</key><string>a</string><key>D</key><data>AAEC</data>
            <key>At</key><date>2001-03-12T00:00:00Z</date></dict><string>b</string></array>
            """)
        let answer = desk.get("/detail/a", [("Accept", "application/x-plist")])
        let object = try unsafe PropertyListSerialization.propertyList(
            from: Data(answer.body), options: [], format: nil)
        let detail = try #require(object as? [String: Any])
        #expect(
            Set(detail.keys) == [
                "title", "href", "level", "version", "fieldsVersion", "depth", "leaf", "count", "ancestors", "position",
                "next", "fields", "follow",
            ])
        let fields = try #require(detail["fields"] as? NSDictionary)
        #expect(
            fields == ["Title": "a", "D": Data([0, 1, 2]), "At": Date(timeIntervalSince1970: 984_355_200)]
                as NSDictionary)
        let page = try Desk(#"["a","b"]"#).get("/levels/?limit=1&format=plist")
        #expect(
            page.text.contains(
                /<key>next<\/key>\s*<string>\/levels\/\?limit=1&amp;format=plist&amp;after=[A-Za-z0-9_-]+<\/string>/))
        #expect(
            page.header("Link")?.contains(/^<\/levels\/\?limit=1&format=plist&after=[A-Za-z0-9_-]+>; rel="next"$/)
                == true)
    }

    @Test(
        "A level comes as a property list to those who ask for one, and as JSON to all others",
        arguments: [
            ("application/x-plist", "application/x-plist"),
            ("Application/X-PList; charset=utf-8", "application/x-plist"),
            ("application/json", "application/json"),
            ("application/x-plist, application/json;q=0.9", "application/x-plist"),
            ("application/x-plist;q=0.5, application/json", "application/json"),
            ("application/x-plist;q=0.5,application/json;q=0.4", "application/x-plist"),
            ("application/x-plist;q=0", "application/json"),
            ("application/x-plist;q=0.5, */*", "application/json"),
            ("application/x-plist, */*;q=0.1", "application/x-plist"),
            ("*/*", "application/json"), ("", "application/json"), ("text/html", "application/json"),
            ("image/*,;;q=", "application/json"),
            ("application/octet-stream", "application/json"),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"),
        ])
    func accept(_ accept: String, _ contentType: String) throws {
        let desk = try Desk(#"["a"]"#)
        for target in ["/levels/", "/detail/a"] {
            #expect(desk.get(target, [("Accept", accept)]).header("Content-Type") == contentType)
            #expect(
                desk.get(target + "?format=json", [("Accept", accept)]).header("Content-Type") == "application/json")
            #expect(
                desk.get(target + "?format=plist", [("Accept", accept)]).header("Content-Type") == "application/x-plist"
            )
        }
    }

    @Test(
        "A document comes as an XML property list unless something else is asked for",
        arguments: [
            ("", "", "application/x-plist"), ("*/*", "", "application/x-plist"),
            ("application/json", "", "application/json"),
            ("application/json", "?format=plist", "application/x-plist"),
            ("application/json", "?format=xml", "application/x-plist"),
            ("", "?format=json", "application/json"), ("", "?format=binary", "application/octet-stream"),
            ("application/octet-stream", "", "application/octet-stream"),
            ("application/x-bplist", "", "application/octet-stream"),
            ("application/json;q=0.1, application/x-plist;q=0.2", "", "application/x-plist"),
            ("application/json;q=0.5, */*;q=0.9", "", "application/x-plist"),
            ("application/json, */*", "", "application/json"),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "", "application/x-plist"),
        ])
    func acceptDocument(_ accept: String, _ query: String, _ contentType: String) throws {
        let answer = try Desk(#"["a"]"#).get("/document\(query)", [("Accept", accept)])
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == contentType)
    }

    @Test("Several Accept lines are one list")
    func severalLines() throws {
        let desk = try Desk(#"["a"]"#)
        let fields = [("Accept", "application/json;q=0.2"), ("Accept", "application/x-plist;q=0.3")]
        #expect(desk.get("/levels/", fields).header("Content-Type") == "application/x-plist")
    }

    @Test(
        "A format that there is not is refused",
        arguments: [
            ("/levels/?format=xml", "'format' must be json, plist or csv, not 'xml'.", #"["json","plist","csv"]"#),
            (
                "/detail/a?format=binary", "'format' must be json or plist here, not 'binary'.",
                #"["json","plist"]"#
            ),
            ("/levels/?format=", "'format' must be json, plist or csv, not ''.", #"["json","plist","csv"]"#),
            (
                "/document?format=yaml", "'format' must be plist, json or binary, not 'yaml'.",
                #"["plist","json","binary"]"#
            ),
            ("/changes?format=plist", "'format' must be json here, not 'plist'.", #"["json"]"#),
        ])
    func unknownFormat(_ target: String, _ detail: String, _ allowed: String) throws {
        let answer = try Desk(#"["a"]"#).get(target)
        #expect(answer.status == 400)
        #expect(
            answer.line == """
                {"type":"/problems/bad-parameter","title":"Bad parameter","status":400,"detail":"\(detail)",\
                "instance":"\(target)","parameter":"format","allowed":\(allowed)}
                """)
    }

    @Test("Text that XML cannot represent is refused as a property list, with its place, and sent as JSON")
    func beyondXML() throws {
        let desk = try Desk(
            #"[{"Title":"a","Tag":"x\u0001"},{"Title":"b","Rows":["c","d\uFFFF"]},{"Title":"e","Text":"\u0000"}]"#)
        for target in ["/levels/", "/levels/b", "/detail/e"] {
            let answer = desk.get(target + "?format=plist")
            #expect(answer.status == 406)
            #expect(
                answer.line == """
                    {"type":"/problems/not-representable","title":"Not representable","status":406,\
                    "detail":"The answer contains control characters or fractions of a second, which XML cannot \
                    represent; request format=json.","instance":"\(target)?format=plist","allowed":["json"]}
                    """)
            #expect(desk.get(target).status == 200)
        }
        #expect(desk.get("/detail/b/c?format=plist").status == 406)
        #expect(desk.get("/levels/b?format=plist&limit=1").status == 200)
        #expect(desk.get("/levels/e?format=plist").status == 200)
        #expect(desk.get("/levels/?format=plist&fields=Text&limit=2").status == 200)
    }

    @Test("Text that XML cannot represent is refused as a property list in every member of an answer")
    func members() throws {
        let deep = try Desk(#"[{"Title":"a","Rows":["sea"]},{"Title":"\u0001","Rows":["lake"]}]"#)
        let divided = try Desk(
            ##"{"Sections":[{"Title":"\u0001","Rows":["a"]},{"Title":"b","Footer":"\u0002","Rows":["c"]}]}"##)
        for (desk, target, status) in [
            (deep, "/levels/?q=sea&", 200), (deep, "/levels/?q=lake&", 406), (deep, "/levels/a?", 200),
            (deep, "/levels/%01?", 406),
            (deep, "/detail/a?", 406), (deep, "/detail/%01/lake?", 406), (deep, "/levels/?depth=2&expand=a&", 406),
            (divided, "/levels/?sections=all&", 406), (divided, "/levels/?q=a&", 200),
            (divided, "/levels/?group=Title&", 200),
        ] {
            #expect(desk.get(target + "format=plist").status == status, "\(target)")
            #expect(desk.get(String(target.dropLast())).status == 200, "\(target)")
        }
    }

    @Test("Text that XML cannot represent is refused as a property list in each part of a delta")
    func deltas() throws {
        let kept = (0..<40).map { #""row \#($0)""# }
        let tagged = kept + [#"{"Title":"a","Tag":"b"}"#]
        for (rows, status) in [
            (tagged, 200), (Array(tagged.reversed()), 200), (kept, 200), (tagged + [#""\u0001""#], 406),
            (kept + [#"{"Title":"a","Tag":"\u0001"}"#], 406),
        ] {
            func snapshot(_ rows: [String], _ revision: String) throws -> Snapshot {
                Desk.snapshot(try Document.tree("[\(rows.joined(separator: ","))]"), revision: revision)
            }
            let desk = Desk(try snapshot(tagged, "k3-1"))
            let tags = ["json", "plist"].map { desk.get("/levels/?format=\($0)").entityTag.dropFirst().dropLast() }
            desk.api.publish(try snapshot(rows, "k3-2"))
            #expect(desk.get("/levels/?since=\(tags[0])").line.contains(#""removed":["#))
            let answer = desk.get("/levels/?since=\(tags[1])&format=plist")
            #expect(answer.status == status && answer.text.contains("<key>removed</key>") == (status == 200))
        }
    }

    private static let table = #"""
        {"Title":"Tea, \"green\" é","Rows":[
        {"Title":"a","Key":"k,1","Price":1.50,"on":true,"tags":["x",{"y":"z,"}],"at":{"town":"Rome"}},
        {"Title":"say \"b\"","note":"two\nlines","Price":"","key":"other"},"plain"]}
        """#

    @Test(
        "A level as CSV has a line for each row of the page, and a column for each field that one of them shows",
        arguments: [
            (
                "fields=*",
                #"""
                key,title,Title,Key,Price,on,tags,at,note,key
                "k,1",a,a,"k,1",1.5,true,"[""x"",{""y"":""z,""}]","{""town"":""Rome""}",,
                "say ""b""","say ""b""","say ""b""",,,,,,"two\nlines",other
                plain,plain,plain,,,,,,,

                """#
            ),
            ("fields=note,Price,at.town,nothing&limit=1", "key,title,Price,at.town\n\"k,1\",a,1.5,Rome\n"),
            ("fields=", "key,title\n\"k,1\",a\n\"say \"\"b\"\"\",\"say \"\"b\"\"\"\nplain,plain\n"),
            ("where=Price:9", "key,title\n"), ("q=lai&fields=", "key,title\nplain,plain\n"),
            ("depth=2&fields=on", "key,title,on\n\"k,1\",a,true\n\"say \"\"b\"\"\",\"say \"\"b\"\"\",\nplain,plain,\n"),
        ])
    func table(query: String, text: String) throws {
        let desk = try Desk(Self.table)
        let answer = desk.get("/levels/?\(query)&format=csv")
        // A line feed within a text stays as it is.
        let lines = text.replacing("\n", with: "\r\n").replacing(#"two\nlines"#, with: "two\nlines")
        #expect(answer.text == lines)
        #expect(desk.get("/levels/?\(query)", [("Accept", "text/csv, application/json;q=0.9")]).text == lines)
        #expect(answer.header("Content-Type") == "text/csv; charset=utf-8")
        #expect(
            answer.header("Content-Disposition")
                == #"attachment; filename="Tea, _green_ __.csv"; filename*=UTF-8''Tea%2C%20%22green%22%20%C3%A9.csv"#)
    }

    @Test("Values as CSV are as in JSON, dates and data without quotes")
    func cells() throws {
        let desk = try Desk(
            """
            <plist><array><dict><key>Title</key><string>a</string><key>When</key><date>2001-03-12T00:00:00Z</date>
            <key>Bytes</key><data>aGk/</data><key>N</key><real>nan</real><key>I</key><integer>-7</integer></dict></array></plist>
            """)
        #expect(
            desk.get("/levels/?format=csv&fields=When,Bytes,N,I").text
                == "key,title,When,Bytes,N,I\r\na,a,2001-03-12T00:00:00Z,aGk/,nan,-7\r\n")
    }

    @Test func `the name of a table's file is the title's first 128 bytes, without controls`() throws {
        let x = String(repeating: "x", count: 127)
        let answer = try Desk(#"{"Title":"\n\#(x)x","Rows":["a"]}"#).get("/levels/?format=csv")
        let name = "attachment; filename=\"_\(x).csv\"; filename*=UTF-8''%0A\(x).csv"
        #expect(answer.header("Content-Disposition") == name)
    }

    @Test("The pages of a level as CSV are linked in the header, and each has a tag of its own")
    func tablePages() throws {
        let desk = try Desk(Self.table)
        var titles: [String] = []
        var tags: Set<String> = []
        var next: String? = "/levels/?fields=&format=csv&limit=1"
        while let link = next {
            let answer = desk.get(link)
            titles += answer.text.split(separator: "\r\n").dropFirst().map(String.init)
            let tag = answer.entityTag
            #expect(tags.insert(tag).inserted)
            #expect(desk.get(link, [("If-None-Match", tag)]).status == 304)
            next = answer.header("Link").flatMap { $0.firstMatch(of: /<(.*)>; rel="next"/) }.map { String($0.output.1) }
        }
        #expect(titles == [#""k,1",a"#, #""say ""b""","say ""b""""#, "plain,plain"])
    }

    @Test("A detail, a document and changes of a level are not CSV")
    func noTable() throws {
        let desk = try Desk(Self.table)
        let accept = [("Accept", "text/csv")]
        #expect(desk.get("/detail/", accept).header("Content-Type") == "application/json")
        #expect(desk.get("/document", accept).header("Content-Type") == "application/x-plist")
        let since = "since=AAAAAAAAAAAAAAAAAAAAAA"
        for answer in [desk.get("/levels/?\(since)&format=csv"), desk.get("/levels/?\(since)", accept)] {
            #expect(answer.status == 400)
            #expect(answer.text.contains("'since' cannot be answered as CSV; ask for another format, or omit 'since'."))
        }
    }

    @Test("Rows with too many different fields are refused as CSV")
    func manyColumns() throws {
        let rows = (0..<2_001).map { #"{"Title":"r","n\#($0)":1}"# }.joined(separator: ",")
        let desk = try Desk("[\(rows)]")
        let answer = desk.get("/levels/?format=csv&fields=*&limit=2001")
        #expect(answer.status == 400)
        #expect(
            answer.text.contains(
                "The 2001 rows have 2002 different fields, which are too many columns; name some of them with 'fields', or ask for fewer rows with 'limit'."
            ))
        #expect(desk.get("/levels/?format=csv&fields=*&limit=1000").status == 200)
    }
}
