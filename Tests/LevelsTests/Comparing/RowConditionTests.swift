import Testing

@testable import Levels
@testable import TestDocuments

/// Conditions on rows: equal, in order, containing, having a field, and the opposite.
@Suite struct RowConditionTests {
    /// The titles of the rows for which a condition holds.
    private func titles(_ condition: String) throws -> [String] {
        let tree = try Document.tree(
            """
            <plist><array>
            <dict><key>Title</key><string>Äpfel</string><key>Price</key><integer>10</integer><key>Key</key><string>a</string></dict>
            <dict><key>Title</key><string>apfel</string><key>Price</key><string>9.5</string><key>On</key><true/></dict>
            <dict><key>Title</key><string>Birne</string><key>Price</key><string>cheap</string><key>On</key><false/></dict>
            <dict><key>Title</key><string>12</string><key>Price</key><real>1e1</real><key>On</key><string>true</string></dict>
            <dict><key>Title</key><string>date</string><key>When</key><date>2001-03-12T00:00:00Z</date></dict>
            <dict><key>Title</key><string>tags</string><key>Tags</key><array><string>Fresh</string><integer>7</integer><true/></array></dict>
            <dict><key>Title</key><string>box</string><key>Price</key><dict><key>x</key><integer>10</integer></dict></dict>
            <string>plain</string>
            </array></plist>
            """)
        let level = try #require(tree.document.child(0))
        let parsed = try #require(RowCondition(condition))
        var listing = Listing(level)
        listing.filter(byAny: [parsed])
        return (0..<listing.count).map { level.title(listing.place(at: $0).row) }
    }

    @Test(
        "A condition holds for these rows",
        arguments: [
            ("Title:Äpfel", ["Äpfel"]), ("Title:A\u{308}pfel", ["Äpfel"]), ("Title:äpfel", []),
            ("Title:12.0", ["12"]), ("Title~PFEL", ["Äpfel", "apfel"]),
            ("Title~", ["Äpfel", "apfel", "Birne", "12", "date", "tags", "box", "plain"]),
            ("Key:a", ["Äpfel"]), ("Key:apfel", ["apfel"]), ("Title<b", ["Äpfel", "apfel"]),
            ("Price:10", ["Äpfel", "12"]), ("Price:1e1", ["Äpfel", "12"]), ("Price:9.50", ["apfel"]),
            ("Price<10", ["apfel"]), ("Price>9", ["Äpfel", "apfel", "12"]), ("Price<x", ["Birne"]),
            ("Price~9", ["apfel"]), ("Price:ten", []), ("On:true", ["apfel", "12"]), ("On:false", ["Birne"]),
            ("On<true", []), ("On>a", ["12"]), ("When:2001-03-12", ["date"]),
            ("When:2001-03-12T01:00:00+01:00", ["date"]), ("When>2001-03-11", ["date"]), ("When<2001-03-12", []),
            ("When>2001", []), ("When:x", []), ("Tags:Fresh", ["tags"]), ("Tags:fresh", []), ("Tags~FRESH", ["tags"]),
            ("Tags:7", ["tags"]), ("Tags:true", ["tags"]), ("Tags>6", []), ("Tags~7", []), ("Price:x:y", []),
            ("None:1", []), ("None~", []),
            ("Price!10", ["apfel", "Birne", "date", "tags", "box", "plain"]),
            ("On!true", ["Äpfel", "Birne", "date", "tags", "box", "plain"]),
            ("Tags!7", ["Äpfel", "apfel", "Birne", "12", "date", "box", "plain"]),
            ("Price<=10", ["Äpfel", "apfel", "12"]), ("Price<=9.5", ["apfel"]), ("Price>=10", ["Äpfel", "12"]),
            ("Price>=9.6", ["Äpfel", "12"]), ("Title<=APFEL", ["Äpfel", "apfel"]), ("Title>=tags", ["tags"]),
            ("When<=2001-03-12", ["date"]), ("When>=2001-03-13", []), ("On<=true", ["12"]), ("Tags<=7", []),
            ("Price~e", ["Birne"]), ("Price!~E", ["Äpfel", "apfel", "12", "date", "tags", "box", "plain"]),
            ("Tags!~fresh", ["Äpfel", "apfel", "Birne", "12", "date", "box", "plain"]),
            ("On", ["apfel", "Birne", "12"]), ("!On", ["Äpfel", "date", "tags", "box", "plain"]),
            ("Tags", ["tags"]), ("Title", ["Äpfel", "apfel", "Birne", "12", "date", "tags", "box", "plain"]),
            ("!Key", []), ("!Title", []),
            ("Title!a\u{308}b", ["Äpfel", "apfel", "Birne", "12", "date", "tags", "box", "plain"]),
        ] as [(String, [String])])
    func holds(condition: String, rows: [String]) throws { #expect(try titles(condition) == rows) }

    @Test("NaN is in no order, and different from everything")
    func notANumber() throws {
        let level = try #require(
            try Document.tree(
                "<plist><array><dict><key>Title</key><string>a</string><key>N</key><real>nan</real></dict></array></plist>"
            )
            .document.child(0))
        for (text, isMet) in [
            ("N<=1", false), ("N>=1", false), ("N<1", false), ("N:1", false), ("N!1", true), ("N", true),
        ] {
            var listing = Listing(level)
            listing.filter(byAny: [try #require(RowCondition(text))])
            #expect(listing.count == (isMet ? 1 : 0), "\(text)")
        }
    }

    @Test(
        "The first operator that no backslash precedes ends the name, and all that follows it is the value",
        arguments: [
            ("A~b:c<d", "A", "A~b:c<d"), ("A=b", "A", "A:b"), ("A==b", "A", "A:b"), ("A:b", "A", "A:b"),
            ("A===b", "A", "A:=b"), ("A:=b", "A", "A:=b"), ("A!b", "A", "A!=b"), ("A!=b", "A", "A!=b"),
            ("A!:b", "A", "A!=b"), ("A<>b", "A", "A!=b"), ("A!=:b", "A", "A!=:b"), ("A!~b", "A", "A!~b"),
            ("A=~b", "A", "A:~b"), ("A<=b", "A", "A<=b"), ("A>=b", "A", "A>=b"), ("A>>b", "A", "A>>b"),
            ("A<b", "A", "A<b"), ("A>b", "A", "A>b"), ("A:", "A", "A:"), ("A", "A", "A"), ("!A", "A", "!A"),
            (#"a\:b:c"#, "a:b", #"a\:b:c"#), (#"!\!a\<\=b"#, "!a<=b", #"!\!a\<\=b"#), (#"a\b:c"#, #"a\b"#, #"a\b:c"#),
            (#"\~"#, "~", #"\~"#), (#"a\"#, #"a\"#, #"a\"#), ("a b.c:é", "a b.c", "a b.c:é"),
        ])
    func grammar(text: String, name: String, description: String) throws {
        let condition = try #require(RowCondition(text))
        #expect(condition.field == .named(Array(name.utf8)))
        #expect(condition.description == description)
        #expect(RowCondition(description) == condition)
        #expect(RowCondition(text + "x") != condition)
    }

    @Test("A condition has a name", arguments: ["", "!", ":x", "=", "~", "<>5", "!=5", "!!A", "!A:5", "!~x"])
    func malformed(text: String) { #expect(RowCondition(text) == nil) }
}
