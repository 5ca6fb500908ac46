import Testing

@testable import Levels
@testable import TestDocuments

/// Rows in an order and in sections, beside plain code that does the same.
@Suite struct RowOrderTests {
    @Test("Kinds are in order, and each within itself; rows without the field are last in both directions")
    func kinds() throws {
        let tree = try Document.tree(
            """
            <plist><array>
            <dict><key>Title</key><string>data</string><key>V</key><data>AA==</data></dict>
            <dict><key>Title</key><string>none</string></dict>
            <dict><key>Title</key><string>nan</string><key>V</key><real>nan</real></dict>
            <dict><key>Title</key><string>Z</string><key>V</key><string>Z</string></dict>
            <dict><key>Title</key><string>ä</string><key>V</key><string>ä</string></dict>
            <dict><key>Title</key><string>date</string><key>V</key><date>2001-01-01T00:00:00Z</date></dict>
            <dict><key>Title</key><string>inf</string><key>V</key><real>inf</real></dict>
            <dict><key>Title</key><string>-3</string><key>V</key><string>-3</string></dict>
            <dict><key>Title</key><string>2</string><key>V</key><integer>2</integer></dict>
            <dict><key>Title</key><string>yes</string><key>V</key><true/></dict>
            <dict><key>Title</key><string>no</string><key>V</key><false/></dict>
            <dict><key>Title</key><string>array</string><key>V</key><array/></dict>
            <string>text</string>
            </array></plist>
            """)
        let level = try #require(tree.document.child(0))
        func titles(_ order: String) throws -> [String] {
            try numbers(of: level, sortedBy: order).map { level.title($0) }
        }
        #expect(
            try titles("V") == [
                "no", "yes", "-3", "2", "inf", "nan", "date", "ä", "Z", "data", "array", "none", "text",
            ])
        #expect(
            try titles("-V") == [
                "data", "array", "Z", "ä", "date", "nan", "inf", "2", "-3", "yes", "no", "none", "text",
            ])
        #expect(try titles("None") == titles("-None"))
    }

    @Test(
        "A field that an order names again decides nothing",
        arguments: [
            ("V,V", "V"), ("V,-V", "V"), ("-V,Title,V", "-V,Title"), ("Title,V,Title,-V,W", "Title,V,W"),
            ("V,v", "V,v"), ("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p"),
        ])
    func repeated(text: String, order: String) throws {
        #expect(try RowOrder(text).description == order)
        #expect(try RowOrder(text) == RowOrder(order))
    }

    @Test("A text is before one that goes on, and so is one that ends in a zero character, in both directions")
    func prefixes() throws {
        let texts = ["", "a", "a\u{0}", "a\u{0}b", "a\u{1}", "aa"]
        let rows = texts.shuffled().map { Value.dictionary([.init("Title", .string("t")), .init("V", .string($0))]) }
        let level = try #require(try Value.array(rows).tree().document.child(0))
        func sorted(_ order: String) throws -> [[UInt8]?] {
            try numbers(of: level, sortedBy: order)
                .map { RowField("V").text(of: Place(row: $0), in: Listing(level)) }
        }
        #expect(try sorted("V,Title") == texts.map { Array($0.utf8) })
        #expect(try sorted("-V,Title") == texts.reversed().map { Array($0.utf8) })
    }

    @Test("Random rows are sorted and divided as plain code does it", arguments: RandomRounds.first(70 as UInt64))
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = (0..<random.below(40)).map { _ in RowModel(&random) }
        let level = try Value.array(rows.map(\.value)).tree().document.child(0)
        guard let level else { return #expect(rows.isEmpty) }
        for order in ["A", "-A", "A,B", "-B,A", "B,-A,Title", "-Title", "Title"] {
            #expect(
                try numbers(of: level, sortedBy: order) == RowModel.places(rows, sortedBy: order),
                "\(order), seed \(seed)")
        }
        for field in ["A", "B", "Title"] {
            let divided = try #require(RowGrouping(field).divide(Listing(level)))
            let expected = RowModel.sections(rows, groupedBy: field)
            #expect(divided.positions == expected.flatMap(\.places), "\(field), seed \(seed)")
            let sections = Self.sections(of: level, groupedBy: RowGrouping(field))
            #expect(sections.map(\.title) == expected.map(\.title), "\(field), seed \(seed)")
            #expect(sections.map(\.count) == expected.map(\.places.count), "\(field), seed \(seed)")
        }
    }

    @Test(
        "Many rows are sorted by all of their texts, whatever the texts have in common",
        arguments: [0, 7, 8, 23, 24, 25, 40])
    func long(common: Int) throws {
        var random = SeededGenerator(seed: UInt64(common))
        let prefix = String(repeating: "p", count: common)
        let titles = (0..<5_000).map { _ in
            prefix + String((0..<random.below(30)).map { _ in random.one(in: 3) ? "a" : "b" })
        }
        let level = try #require(try Value.array(titles.map(Value.string)).tree().document.child(0))
        let expected = titles.indices.sorted { titles[$0] == titles[$1] ? $0 < $1 : titles[$0] < titles[$1] }
        #expect(try numbers(of: level, sortedBy: "Title") == expected)
    }

    @Test("Initials are in the order of their letters, and titles without a letter are under #, at the end")
    func initials() throws {
        let tree = try Document.tree(#"["Zoo", "élan", "42", "Apfel", "Äpfel", "ωmega", "(x)", "eat"]"#)
        let level = try #require(tree.document.child(0))
        let divided = try #require(RowGrouping("initial").divide(Listing(level)))
        #expect(
            divided.positions.map { level.title($0) } == ["Apfel", "Äpfel", "élan", "eat", "Zoo", "ωmega", "42", "(x)"])
        #expect(
            Self.sections(of: level, groupedBy: .initial) == [
                Section(title: "A", index: "A", start: 0, count: 2),
                Section(title: "E", index: "E", start: 2, count: 2),
                Section(title: "Z", index: "Z", start: 4, count: 1),
                Section(title: "Ω", index: "Ω", start: 5, count: 1),
                Section(title: "#", index: "#", start: 6, count: 2),
            ])
    }

    private static func sections(of level: Level, groupedBy grouping: RowGrouping) -> [Section] {
        var listing = Listing(level)
        listing.group(by: grouping)
        return Array(listing.sections)
    }

    /// The numbers of a level's rows in an order.
    private func numbers(of level: Level, sortedBy order: String) throws -> [Int] {
        var listing = Listing(level)
        listing.sort(by: try RowOrder(order))
        return (0..<listing.count).map { listing.place(at: $0).row }
    }
}
