import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// The hash of a level is its content's, and a pool gives levels of one content the same object.
@Suite struct HashTests {
    @Test("Equal content gives equal hashes, in whatever format and layout it is written")
    func equalContent() throws {
        let one = try Document.tree(#"[{"Title":"a","N":5,"Rows":["b"]},"c"]"#)
        let two = try Document.tree("[ { \"\\u0054itle\" : \"a\" ,\n\"N\":5, \"Rows\":[ \"b\" ] }, \"c\" ]")
        let three = try Document.tree(
            """
            <plist version="1.0"><array><!-- x --><dict><key>Title</key><string><![CDATA[a]]></string>
            <key>N</key><integer>0x5</integer><key>Rows</key><array><string>b</string></array></dict>
            <string>&#99;</string></array></plist>
            """)
        #expect(one.document.hash == two.document.hash)
        #expect(one.document.hash == three.document.hash)
    }

    @Test(
        "Different content gives different hashes",
        arguments: [
            (#"["a"]"#, #"["b"]"#), (#"["a","b"]"#, #"["b","a"]"#), (#"["ab"]"#, #"["a","b"]"#),
            (#"["a"]"#, #"[{"Title":"a"}]"#), (#"["a"]"#, #"{"Rows":["a"]}"#),
            (#"{"Rows":["a"]}"#, #"{"Children":["a"]}"#),
            (#"[["a"]]"#, #"["a"]"#), (#"[["a","b"]]"#, #"[["a"],["b"]]"#), (#"[["a"],[]]"#, #"[[],["a"]]"#),
            (#"{"Sections":[["a"]]}"#, #"{"Sections":{"":["a"]}}"#),
            (#"{"Sections":[["a"]]}"#, #"{"Sections":[{"Rows":["a"]}]}"#),
            (#"{"Sections":[{"Title":"A","Rows":["a"]}]}"#, #"{"Sections":[{"Index":"A","Rows":["a"]}]}"#),
            (#"[{"Title":"a","X":1}]"#, #"[{"Title":"a","X":1.0}]"#),
            (#"[{"Title":"a","X":1}]"#, #"[{"Title":"a","X":"1"}]"#),
            (#"[{"Title":"a","X":1}]"#, #"[{"X":1,"Title":"a"}]"#),
            (#"[{"Title":"a","X":[]}]"#, #"[{"Title":"a","X":{}}]"#),
            (#"[{"Title":"a"}]"#, #"[{"Title":"a","Rows":[]}]"#), (#"[{"Title":"1"}]"#, #"[{"Title":1}]"#),
            (#"[{"Title":"a","Key":"k"}]"#, #"[{"Title":"a","Key":"l"}]"#), ("[\"\u{E9}\"]", "[\"e\u{301}\"]"),
            (
                #"{"Sections":{"A":["a"],"B":["b"]},"SectionKeys":["A"]}"#,
                #"{"Sections":{"A":["a"],"B":["b"]},"SectionKeys":["A","B"]}"#
            ),
        ])
    func differentContent(_ one: String, _ two: String) throws {
        #expect(try Document.tree(one).document.hash != Document.tree(two).document.hash)
    }

    @Test(
        "The hashes of documents stay what they have always been, since versions and entity tags are made of them",
        arguments: [
            (
                #"[{"Title":"a","Key":"k","Rows":["b","b"],"N":1.5},"c"]"#,
                0xAC9D_ECE0_3D43_F111 as UInt64, 0x586C_4C4F_E0AF_6428 as UInt64
            ),
            (
                #"{"Title":"t","SectionKeys":["B"],"Sections":{"A":["a"],"B":["b",{"Title":"c","Children":[["x"],["y"]],"SectionTitles":["s"]}]}}"#,
                0x70EB_FD55_9DB1_EBF5 as UInt64, 0x7F97_610B_71B0_3C99 as UInt64
            ),
            (
                #"{"Sections":[{"Title":"A","Index":"i","Footer":"f","Rows":["x"]},["y"]],"N":{"M":[true,"z"]}}"#,
                0x4082_3501_9388_0F43 as UInt64, 0xB819_5181_E5E4_5DFB as UInt64
            ),
        ])
    func knownHashes(_ document: (text: String, high: UInt64, low: UInt64)) throws {
        let hash = try Document.tree(document.text).document.hash
        #expect([hash.high, hash.low] == [document.high, document.low])
    }

    @Test("A changed leaf changes the hashes of the levels above it, and of no other")
    func changedLeaf() throws {
        func document(_ leaf: String) throws -> Level {
            let text = #"""
                [{"Title":"a","Rows":[{"Title":"b","Rows":["\#(leaf)"]},{"Title":"c","Rows":["d"]}]},
                 {"Title":"e","Sections":[{"Title":"s","Rows":["f"]}]}]
                """#
            return try Document.tree(text).document
        }
        let (old, new) = (try hashes(of: document("x")), try hashes(of: document("y")))
        #expect(Set(old.keys) == ["/", "/Root", "/Root/a", "/Root/a/b", "/Root/a/c", "/Root/e"])
        #expect(Set(old.keys.filter { old[$0] != new[$0] }) == ["/", "/Root", "/Root/a", "/Root/a/b"])
    }

    @Test("A new tree takes over the levels of the old one that are as they were, as the very same objects")
    func adoption() throws {
        let old = try Document.tree(#"[{"Title":"a","Rows":["b"]},{"Title":"c","Rows":[{"Title":"d","Rows":["e"]}]}]"#)
        let pool = LevelPool(old.document)
        let same = try Document.tree(
            #"[{"Title":"a","Rows":["b"]},{"Title":"c","Rows":[{"Title":"d","Rows":["e"]}]}]"#, pool: pool)
        #expect(same.document === old.document)
        let changed = try Document.tree(
            #"["new",{"Title":"a","Rows":["B"]},{"Title":"C","Rows":[{"Title":"d","Rows":["e"]}]}]"#, pool: pool)
        let (before, after) = (try #require(old.document.child(0)), try #require(changed.document.child(0)))
        #expect(after !== before)
        #expect(after.child(1) !== before.child(0))
        #expect(after.child(2) === before.child(1))
        #expect(after.child(2)?.child(0) === before.child(1)?.child(0))
        #expect(after.itemCount == 6)
    }

    @Test("Equal levels within one tree, and in shape any, are taken over from the pool too")
    func adoptionElsewhere() throws {
        let old = try Document.anyTree(#"{"a":[1,2],"b":{"c":[1,2]}}"#)
        let pool = LevelPool(old.document)
        let new = try Document.anyTree(#"{"a":[1,2],"z":{"c":[1,2]}}"#, pool: pool)
        let (before, after) = (try #require(old.document.child(0)), try #require(new.document.child(0)))
        #expect(after !== before)
        #expect(after.child(1) === before.child(1))
        let pooled = try #require(after.child(0))
        #expect(pooled === before.child(0) || pooled === before.child(1)?.child(0))
    }

    @Test("Random trees have the same hashes with a pool and without, and keep their objects when nothing changed")
    func randomAdoption() throws {
        for seed in 0..<100 as Range<UInt64> {
            var random = RandomDocument(seed: seed, .binary)
            let (value, other) = (random.document(), random.document())
            let old = try value.tree().document
            let pool = LevelPool(old)
            #expect(try value.tree(pool: pool).document === old, "seed \(seed)")
            #expect(try other.tree(pool: pool).document.hash == other.tree().document.hash, "seed \(seed)")
        }
    }

    /// The hashes of all levels, by the path of titles of the item that each is below of.
    private func hashes(of level: Level, path: String = "/") -> [String: ContentHash] {
        var hashes = [path: level.hash]
        for row in 0..<level.count {
            guard let below = level.child(row) else { continue }
            let title = (path == "/" ? "/" : path + "/") + level.title(row)
            hashes.merge(self.hashes(of: below, path: title)) { $1 }
        }
        return hashes
    }
}
