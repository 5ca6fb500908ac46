import Foundation
import HTTPServer
import LevelsAPI
import Testing

@testable import WebClient

/// The web client's page and files (manual, Web client).
@Suite("The web client") struct WebClientTests {
    private static let browser = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]

    private static func desk() throws -> Desk { try Desk(#"["a"]"#) { $0.hasWebClient = true } }

    /// The targets of the files that the page names.
    private static func files(of page: Answer) -> [String] {
        page.text.matches(of: /(?:href|src)="(\/client\/[^"]+)"/).map { String($0.output.1) }
    }

    @Test("is what a browser gets at the root and at each place; all else gets the index")
    func page() throws {
        let desk = try Self.desk()
        let page = desk.get("/", Self.browser)
        #expect(page.status == 200)
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(page.header("Vary") == "Accept-Encoding, Accept")
        #expect(desk.get("/browse/a/b?sort=-Title") == page)
        #expect(desk.ask(.head, "/browse") == page)
        for accept in ["*/*", "application/json", "application/json, text/html;q=0.9", "image/png"] {
            #expect(desk.get("/", [("Accept", accept)]).header("Content-Type") == "application/json")
        }
        #expect(desk.get("/", [("If-None-Match", page.entityTag)] + Self.browser).status == 304)
    }

    @Test("may run and load only what the service has")
    func policy() throws {
        let page = try Self.desk().get("/browse/")
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
        #expect(!policy.contains("unsafe"))
        #expect(!page.text.contains("<script>") && !page.text.contains("<style"))
        #expect(page.text.matches(of: /https?:/).isEmpty)
    }

    @Test("names files that are kept for a year, at a path that another version does not have")
    func files() throws {
        let desk = try Self.desk()
        let files = Self.files(of: desk.get("/browse/"))
        #expect(files.count > 10)
        for file in files {
            let answer = desk.get(file)
            #expect(answer.status == 200)
            #expect(answer.header("Cache-Control") == "public, max-age=31536000, immutable")
            #expect(desk.get(file, [("If-None-Match", answer.entityTag)]).status == 304)
        }
        #expect(desk.get("/client/AAAAAAAAAAAAAAAAAAAAAA/app.js").status == 404)
    }

    @Test("is prepared in each coding", arguments: ["gzip", "br"])
    func codings(_ coding: String) throws {
        let desk = try Self.desk()
        let file = try #require(Self.files(of: desk.get("/browse/")).first { $0.hasSuffix(".css") })
        let plain = desk.get(file)
        let coded = desk.get(file, [("Accept-Encoding", coding)])
        #expect(coded.header("Content-Encoding") == coding)
        #expect(coded.body.count * 2 < plain.body.count)
        #expect(coded.entityTag != plain.entityTag)
    }

    @Test("can be left out")
    func absent() throws {
        let desk = try Desk(#"["a"]"#)
        #expect(desk.get("/", Self.browser).header("Content-Type") == "application/json")
        #expect(desk.get("/browse/a").status == 404)
    }

    private static var folder: URL {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        return tests.appending(path: "../../Sources/WebClient").standardizedFileURL
    }

    @Test("contains every file of its folder")
    func complete() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
        #expect(WebClientFile.all.map(\.name) == names.filter { !$0.hasSuffix(".swift") }.sorted())
    }

    private static func served(_ source: String, isStyle: Bool = false) -> String {
        let file = WebClientFile.served([(isStyle ? "a.css" : "a.js", Array(source.utf8))])[0]
        return String(decoding: file.bytes, as: UTF8.self)
    }

    @Test("is sent without comments, without white space that separates nothing, and with short names")
    func served() {
        let script = #"""
            // A comment.
            export const one = (a, b) => {
              return a === b ? 'x = y' : `${a} = ${ [b, `{ ${a} }`] }`  // Another.
            }
            //
            const two = [
              'a, "b', /a, ['`"/]b/g, "it's \" one",
            ]
            const three = 1 + +one / two - -1
            const four = 'one' in two && return_ / 2 + `a / b`
            class Five {
              #first = '#first'
              async #second() { return `${this.#first} #second` && /#first/ && #first in this === true }
            }

            """#
        #expect(
            Self.served(script) == #"""
                export let d=(a,b)=>{return a===b?'x = y':`${a} = ${[b,`{ ${a} }`]}`}
                let c=['a, "b',/a, ['`"/]b/g,"it's \" one",]
                let h=1+ +d/c- -1
                let f='one'in c&&return_/2+`a / b`
                class e{#a='#first'
                async #b(){return`${this.#a} #second`&&/#first/&&#a in this===true}}

                """#)
        let style = """
            /* A comment; { */
            .a > .b { color: red; font: 1rem "a: b", serif; }
            .c:is(.d, .e) :hover { margin: 0 auto; width: calc(1px + 2px); }

            """
        #expect(
            Self.served(style, isStyle: true)
                == ".a>.b{color:red;font:1rem \"a: b\",serif}.c:is(.d,.e) :hover{margin:0 auto;width:calc(1px + 2px)}\n"
        )
    }

    @Test("has short names for what scripts import from each other")
    func imports() {
        let files = WebClientFile.served([
            ("a.js", Array("import {second} from './b.js'\nexport const first = () => second + first\n".utf8)),
            ("b.js", Array("import {first} from './a.js'\nexport const second = () => first\n".utf8)),
        ])
        #expect(
            files.map { String(decoding: $0.bytes, as: UTF8.self) } == [
                "import{b}from'./b.js'\nexport let a=()=>b+a\n", "import{a}from'./a.js'\nexport let b=()=>a\n",
            ])
    }

    @Test(
        "has no short name for what may be a property, or is declared nowhere",
        arguments: [
            "const name = one.name", "const name = one?.name", "const {name} = one", "const {name = 1, other} = name",
            "const {one: {name}} = other, two = name", "const one = {name: 2}, name = 1", "const name = {two, name}",
            "const name = {name() { return 1 }}", "const name = {get name() { return 1 }}",
            "const name = {async name() { return 1 }}", "const name = {* name() { yield 1 }}",
            "class One {\n  name\n}\nconst name = 1", "class One {\n  two = 1\n  name = 2\n}\nconst name = 1",
            "class One { static name = 1 }\nconst name = 1", "class One { name() {} }\nconst name = 1",
            "class One { two() {} name() {} }\nconst name = 1", "class One { set name(value) {} }\nconst name = 1",
            "const one = `${two.name}`, other = name => 1", "const one = {class: {name: 1}}, other = name => name",
            "const one = (name, other) => name", "one(name)",
        ])
    func properties(_ source: String) {
        #expect(
            Self.words(Self.served(source)).count(where: { $0 == "name" })
                == Self.words(source).count(where: { $0 == "name" }))
    }

    @Test(
        "has a short name for a variable",
        arguments: [
            ("const name = [...name]", "let a=[...a]"), ("const name = one ? name : two", "let a=one?a:two"),
            ("let name = {...name}", "let a={...a}"), ("let name = {[name]: 1}", "let a={[a]:1}"),
            ("function name() {}", "function a(){}"), ("one(name => name)", "one(a=>a)"),
            ("class Name { one = Name }", "class a{one=a}"), ("const name = `name ${name}`", "let a=`name ${a}`"),
        ])
    func variables(_ source: String, _ served: String) { #expect(Self.served(source) == served + "\n") }

    @Test(
        "is sent up to its end if a literal or a comment in it has none",
        arguments: ["'a", "`a${", "/a", "/*a", "a\\", "`\\", "//"])
    func unended(_ source: String) {
        #expect(Self.served(source).count <= source.count + 1)
        #expect(Self.served(source, isStyle: true).count <= source.count + 1)
    }

    @Test("is sent with every word and mark of its source, in their order and apart")
    func source() throws {
        var names: [Substring: Substring] = [:]
        for file in WebClientFile.all where file.name != WebClientFile.pageName {
            let source = try String(contentsOf: Self.folder.appending(path: file.name), encoding: .utf8)
            let lines = source.split(separator: "\n").filter {
                let line = $0.trimmingPrefix(while: { $0 == " " })
                return !line.hasPrefix("//") && !line.hasPrefix("/*")
            }
            let served = String(decoding: file.bytes, as: UTF8.self)
            let words = Self.words(lines.joined(separator: "\n"))
            let servedWords = Self.words(served)
            #expect(words.count(where: { $0 == ";" }) >= servedWords.count(where: { $0 == ";" }), "\(file.name)")
            let pairs = Array(zip(words.filter { $0 != ";" }, servedWords.filter { $0 != ";" }))
            #expect(pairs.count == words.count(where: { $0 != ";" }), "\(file.name)")
            for (word, name) in pairs where word != name && word != "const" {
                #expect(
                    name.utf8.count <= 3 && names[word, default: name] == name, "\(word) is \(name) in \(file.name)")
                names[word] = name
            }
        }
        #expect(names.count > 250)
        #expect(Set(names.values).count == names.count, "no two variables have the same name")
    }

    /// The words and marks of a text, apart from the names that are private in one script.
    private static func words(_ text: String) -> [Substring] {
        text.matches(of: /[\p{L}\p{N}_$#]+|[^\s]/).map { $0.output.hasPrefix("#") ? "#" : $0.output }
    }
}
