import Levels
import Testing

/// Versions depend on content alone (manual, Levels).
@Suite struct VersionTests {
    @Test("A level's version is its entity tag, and the hash of the answer before follow with a blank in its place")
    func levelVersion() throws {
        let desk = try Desk(#"["a",{"Title":"b","Rows":["c"]}]"#)
        for target in ["/levels/", "/levels/b", "/detail/", "/detail/b/c", "/levels/?fields=*", "/levels/?limit=1"] {
            let answer = desk.get(target)
            let version = answer.entityTag.dropFirst().dropLast()
            let end = try #require(answer.text.firstRange(of: #","follow":"#)).lowerBound
            let blank = answer.text[..<end].replacing(version, with: String(repeating: "-", count: 22))
            #expect(version == encoded(ContentHash(of: Array(blank.utf8).span)))
            #expect(answer.text.contains(#""version":"\#(version)""#))
        }
    }

    @Test("A row's version is the hash of the shown row")
    func rowVersion() throws {
        let answer = try Desk(#"["a",{"Title":"b","Tag":5}]"#).get("/levels/")
        for match in answer.text.matches(of: /\{("key":.*?"version":")([A-Za-z0-9_-]{8})(".*?"fields":\{.*?\}\})/) {
            let blank = "\(match.output.1)--------\(match.output.3)"
            #expect(match.output.2 == encoded(ContentHash.short(of: Array(blank.utf8).span), digits: 8))
        }
        #expect(rowVersions(answer).count == 2)
    }

    @Test("A row keeps its version wherever it moves, in JSON and as a property list", arguments: ["json", "plist"])
    func movedRow(_ format: String) throws {
        let one = rowVersions(try Desk(#"["a","b",{"Title":"c","Tag":1}]"#).get("/levels/?format=\(format)"))
        let two = rowVersions(try Desk(#"["new",{"Title":"c","Tag":1},"b","a"]"#).get("/levels/?format=\(format)"))
        #expect(one.count == 3)
        #expect(Array(two.dropFirst()) == one.reversed())
        #expect(Set(two).count == 4)
    }

    @Test("A row's version changes with the shown row, and with nothing else")
    func changedRow() throws {
        func version(_ item: String, fields: String = "Tag") throws -> String {
            rowVersions(try Desk("[\(item)]").get("/levels/?fields=\(fields)"))[0]
        }
        let old = try version(#"{"Title":"a","Tag":1,"Text":"x","Rows":["b"]}"#)
        #expect(try version(#"{"Title":"a","Tag":1,"Text":"y","Rows":["c"]}"#) == old)
        #expect(try version(#"{"Title":"a","Tag":2,"Text":"x","Rows":["b"]}"#) != old)
        #expect(try version(#"{"Title":"A","Tag":1,"Text":"x","Rows":["b"]}"#) != old)
        #expect(try version(#"{"Title":"a","Tag":1,"Text":"x","Rows":["b","c"]}"#) != old)
        #expect(try version(#"{"Title":"a","Tag":1,"Text":"x","Rows":["b"]}"#, fields: "Text") != old)
    }

    private func rowVersions(_ answer: Answer) -> [String] {
        let json = answer.text.matches(of: /"version":"([A-Za-z0-9_-]{8})"/).map { String($0.output.1) }
        let xml = answer.text.matches(of: /<key>version<\/key>\s*<string>([A-Za-z0-9_-]{8})<\/string>/)
        return json + xml.map { String($0.output.1) }
    }

    private func encoded(_ hash: ContentHash) -> String {
        encoded(hash.high, digits: 11) + encoded(hash.low, digits: 11)
    }

    /// Six bits a digit, in the alphabet of base64url (RFC 4648, section 5).
    private func encoded(_ word: UInt64, digits: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let places = (0..<digits).reversed().map { place in UInt64(place * 6) }
        return String(places.map { place in alphabet[Int(word >> place & 63)] })
    }
}
