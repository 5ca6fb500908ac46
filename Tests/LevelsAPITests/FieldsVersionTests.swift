import Testing

@testable import TestDocuments

/// `fieldsVersion`: the version of an item's own fields (manual, Details).
@Suite struct FieldsVersionTests {
    private static func version(_ answer: Answer) -> String? {
        let json = answer.text.firstMatch(of: /"fieldsVersion":"([A-Za-z0-9_-]{8})"/)?.output.1
        let plist = answer.text.firstMatch(of: /<key>fieldsVersion<\/key>\s*<string>([A-Za-z0-9_-]{8})<\/string>/)?
            .output.1
        return (json ?? plist).map(String.init)
    }

    /// The version of the item with the key `a` below the root.
    private static func version(_ rows: String) throws -> String {
        try #require(version(try Desk("[\(rows)]").get("/detail/a")))
    }

    @Test("A detail and a row with all fields have it after their version, the same in both formats; no other row does")
    func places() throws {
        let desk = try Desk(#"[{"Title":"a","N":1,"Rows":["b"]},"c"]"#)
        let version = try #require(Self.version(desk.get("/detail/a")))
        #expect(desk.get("/detail/a").text.contains(#"","fieldsVersion":"\#(version)","depth":1,"#))
        #expect(Self.version(desk.get("/detail/a?format=plist")) == version)
        for target in ["/levels/?fields=*", "/levels/?fields=*&sort=-Title&start=1", "/levels/?fields=*&depth=all"] {
            let pattern = /"key":"a","version":"[A-Za-z0-9_-]{8}","fieldsVersion":"([A-Za-z0-9_-]{8})","title":"a"/
            #expect(desk.get(target).text.firstMatch(of: pattern)?.output.1 == version[...], "\(target)")
        }
        #expect(desk.get("/levels/?fields=*&format=plist").text.contains("<string>\(version)</string>"))
        for target in ["/levels/", "/levels/?fields=", "/levels/?fields=N,Title", "/levels/?depth=all", "/levels/a"] {
            #expect(!desk.get(target).text.contains("fieldsVersion"), "\(target)")
        }
    }

    @Test("It stays the same whatever is around the fields, and after a restart")
    func unchanged() throws {
        let version = try Self.version(#"{"Title":"a","N":1,"D":{"x":[true]}}"#)
        #expect(version == "WNYRt7BD")
        for rows in [
            #""z",{"Title":"a","N":1,"D":{"x":[true]}}"#, #"{"Title":"a","N":1,"D":{"x":[true]}},"z""#,
            #"{"Title":"a","N":1,"D":{"x":[true]},"Rows":["b"]}"#,
            #"{"Title":"a","Children":[["b"],["c"]],"N":1,"D":{"x":[true]}}"#,
            #"{"Title":"a","Sections":{"S":["b"]},"N":1,"SectionKeys":["S"],"D":{"x":[true]}}"#,
        ] {
            #expect(try Self.version(rows) == version, "\(rows)")
        }
        let mapped = try Desk(#"{"Rows":[{"Title":"p","Rows":[{"Title":"a","N":1,"D":{"x":[true]}}]}]}"#)
        #expect(Self.version(mapped.get("/detail/p/a")) == version)
    }

    @Test("A string has that of a dictionary with the one field Title")
    func string() throws {
        let version = try Self.version(#""a""#)
        for rows in [#"{"Title":"a"}"#, #"{"Title":"a","Rows":["b"]}"#] { #expect(try Self.version(rows) == version) }
        #expect(Self.version(try Desk(#"["é"]"#).get("/detail/%C3%A9")) != version)
    }

    @Test("Other fields, types, orders and nestings have other versions")
    func changed() throws {
        let items = [
            "", #","N":1"#, #","N":2"#, #","N":1.0"#, #","N":"1""#, #","N":true"#, #","N":false"#, #","M":1"#,
            #","N":1,"M":1"#, #","M":1,"N":1"#, #","N":[1]"#, #","N":{"x":1}"#, #","N":{}"#, #","N":[]"#, #","N":"""#,
            #","N":-1"#, #","N":"x","M":"""#, #","N":"","M":"x""#, #","Key":"a""#,
        ]
        let versions = try items.map { try Self.version("{\"Title\":\"a\"\($0)}") }
        #expect(Set(versions).count == items.count)
    }

    @Test("Only the low characters of a hash are shown, and every field reaches them")
    func spread() throws {
        var versions: Set<String> = []
        for number in 0..<1_000 { versions.insert(try Self.version(#"{"Title":"a","N":\#(number),"M":"x"}"#)) }
        #expect(versions.count == 1_000)
    }
}
