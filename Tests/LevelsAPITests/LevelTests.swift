import Testing

/// `GET /levels/<path>`: the whole answer (manual, Levels).
@Suite struct LevelTests {
    @Test("A level answers with every member that the manual lists")
    func example() throws {
        let desk = try Desk(
            #"{"Rows":[{"Title":"Item 4","Children":[{"Title":"Screen G","Children":["Screen H"]}]}]}"#)
        let answer = desk.get("/levels/Item%204")
        #expect(answer.status == 200)
        #expect(answer.headers == answer.taggedHeaders())
        #expect(
            answer.shape == """
                {"title":"Item 4","href":"/levels/Item%204","detail":"/detail/Item%204","version":"V","depth":1,"leaf":false,\
                "ancestors":[{"title":"Root","href":"/levels/"}],\
                "count":1,\
                "sections":[{"title":null,"index":null,"start":0,"count":1}],\
                "rows":[{"key":"Screen G","version":"v","title":"Screen G","leaf":false,"count":1,\
                "href":"/levels/Item%204/Screen%20G","fields":{}}],\
                "next":null,"after":null}
                """)
    }

    @Test("The root's level has no ancestors, its rows lead to levels or details, and show their short values")
    func root() throws {
        let desk = try Desk(
            #"""
            {"Title":"Shop","Price":1,"Rows":["a",
             {"Title":"b","Type":"t","Text":"no","Subtitle":"s","Image":"i.svg","Kind":"k","View":"v","Tag":5,"Value":[1,{"x":true}]},
             {"Title":"c","Rows":[]},{"Key":"d","Rows":["e","f"]}]}
            """#)
        #expect(
            desk.get("/levels").shape == """
                {"title":"Shop","href":"/levels/","detail":"/detail/","version":"V","depth":0,"leaf":false,"ancestors":[],\
                "count":4,"sections":[{"title":null,"index":null,"start":0,"count":4}],"rows":[\
                {"key":"a","version":"v","title":"a","leaf":true,"count":0,"href":"/detail/a","fields":{}},\
                {"key":"b","version":"v","title":"b","leaf":true,"count":0,"href":"/detail/b",\
                "fields":{"Type":"t","Text":"no","Subtitle":"s","Image":"i.svg","Kind":"k","View":"v","Tag":5}},\
                {"key":"c","version":"v","title":"c","leaf":true,"count":0,"href":"/detail/c","fields":{}},\
                {"key":"d","version":"v","title":"","leaf":false,"count":2,"href":"/levels/d","fields":{}}],"next":null,"after":null}
                """)
    }

    @Test("A leaf's level is there, and empty")
    func leaf() throws {
        let desk = try Desk(#"[{"Title":"a","Rows":["b"]},{"Title":"c","Rows":[]}]"#)
        for (path, title, depth, ancestors) in [
            ("a/b", "b", 2, #"{"title":"Root","href":"/levels/"},{"title":"a","href":"/levels/a"}"#),
            ("c", "c", 1, #"{"title":"Root","href":"/levels/"}"#),
        ] {
            #expect(
                desk.get("/levels/\(path)").shape == """
                    {"title":"\(title)","href":"/levels/\(path)","detail":"/detail/\(path)","version":"V","depth":\(depth),\
                    "leaf":true,"ancestors":[\(ancestors)],"count":0,\
                    "sections":[{"title":null,"index":null,"start":0,"count":0}],"rows":[],"next":null,"after":null}
                    """)
        }
    }

    @Test("An empty document has an empty root")
    func empty() throws {
        #expect(
            try Desk("[]").get("/levels/").shape == """
                {"title":"Root","href":"/levels/","detail":"/detail/","version":"V","depth":0,"leaf":true,"ancestors":[],\
                "count":0,"sections":[{"title":null,"index":null,"start":0,"count":0}],"rows":[],"next":null,"after":null}
                """)
    }

    @Test("Sections divide the flat list of rows")
    func sections() throws {
        let desk = try Desk(
            #"{"Sections":[["a"],{"Title":"B","Rows":[]},{"Title":"C","Index":"c","Footer":"f","Rows":["x","y"]}]}"#)
        let text = desk.get("/levels/").shape
        #expect(
            text.contains(
                """
                "count":3,"sections":[{"title":null,"index":null,"start":0,"count":1},\
                {"title":"B","index":null,"start":1,"count":0},\
                {"title":"C","index":"c","start":1,"count":2,"footer":"f"}],"rows":[{"key":"a",
                """))
    }

    @Test("Links are in canonical form, whatever the keys hold")
    func links() throws {
        let desk = try Desk("[{\"Title\":\"a/b ~-._%\",\"Rows\":[\"\u{E9}?#\",\"\",\"\",\"..\"]}]")
        let path = "a%2Fb%20~-._%25"
        #expect(
            desk.get("/levels/%61%2fb%20%7E-._%25/").shape == """
                {"title":"a/b ~-._%","href":"/levels/\(path)","detail":"/detail/\(path)","version":"V","depth":1,\
                "leaf":false,"ancestors":[{"title":"Root","href":"/levels/"}],"count":4,\
                "sections":[{"title":null,"index":null,"start":0,"count":4}],"rows":[\
                {"key":"\u{E9}?#","version":"v","title":"\u{E9}?#","leaf":true,"count":0,\
                "href":"/detail/\(path)/%C3%A9%3F%23","fields":{}},\
                {"key":"~1","version":"v","title":"","leaf":true,"count":0,"href":"/detail/\(path)/~1","fields":{}},\
                {"key":"~1~2","version":"v","title":"","leaf":true,"count":0,"href":"/detail/\(path)/~1~2","fields":{}},\
                {"key":"..~1","version":"v","title":"..","leaf":true,"count":0,"href":"/detail/\(path)/..~1","fields":{}}],\
                "next":null,"after":null}
                """)
    }

    @Test(
        "The same level answers under every spelling of its path",
        arguments: [
            "/levels/A%20b/c+d", "/levels/A%20b/c+d/", "/levels/A%20b/c%2Bd", "/levels/%41%20%62/c%2bd",
            "/levels/A%20b/c+d?",
            "/levels/A%20b/c+d/?&", "/levels/A b/c+d",
        ])
    func spellings(_ target: String) throws {
        let desk = try Desk(#"[{"Title":"A b","Rows":[{"Title":"c+d","Rows":["e"]}]}]"#)
        let answer = desk.get(target)
        #expect(answer.status == 200)
        #expect(answer == desk.get("/levels/A%20b/c%2Bd"))
    }

    @Test("A document of any shape is served by its keys and indexes")
    func anyShape() throws {
        let desk = try Desk(anyShape: #"{"a":[true,{}]}"#)
        #expect(
            desk.get("/levels/a").shape == """
                {"title":"a","href":"/levels/a","detail":"/detail/a","version":"V","depth":1,"leaf":false,\
                "ancestors":[{"title":"Root","href":"/levels/"}],"count":2,\
                "sections":[{"title":null,"index":null,"start":0,"count":2}],"rows":[\
                {"key":"0","version":"v","title":"0","leaf":true,"count":0,"href":"/detail/a/0","fields":{"Value":true}},\
                {"key":"1","version":"v","title":"1","leaf":true,"count":0,"href":"/detail/a/1","fields":{}}],\
                "next":null,"after":null}
                """)
    }
}
