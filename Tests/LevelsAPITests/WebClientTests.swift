import Foundation
import HTTPServer
import Testing

@testable import LevelsAPI

/// The web client's page and files (manual, Web client).
@Suite("The web client") struct WebClientTests {
    private static let browser = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]

    private static func desk() throws -> Desk { try Desk(#"["a"]"#) { $0.hasWebClient = true } }

    /// The targets of the files that the page names.
    private static func files(of page: Answer) -> [String] {
        page.text.matches(of: /(?:href|src)="(\/client\/[^"]+)"/).map { String($0.output.1) }
    }

    @Test("is sent to a browser at the root and at each place; all other clients get the index")
    func page() throws {
        let desk = try Self.desk()
        let page = desk.get("/", Self.browser)
        #expect(page.status == 200)
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(page.header("Vary") == "Accept-Encoding, Accept")
        #expect(desk.get("/browse/a/b?sort=-Title").text == page.text)
        #expect(desk.ask(.head, "/browse") == page)
        for accept in ["*/*", "application/json", "application/json, text/html;q=0.9", "image/png"] {
            #expect(desk.get("/", [("Accept", accept)]).header("Content-Type") == "application/json")
        }
        let unchanged = desk.get("/", [("If-None-Match", page.entityTag)] + Self.browser)
        #expect(unchanged.status == 304 && unchanged.headers == page.keepingLines)
    }

    @Test("has the query of its level, that of each level above, and no other parameter")
    func parameters() throws {
        let desk = try Self.desk()
        let page = desk.get("/browse/")
        let target = "/browse/a/b/c?sort=-Title&above=1?sort=Title&above=2?q=x&show=&where=a:b&where=c:d"
        #expect(desk.get(target).text == page.text)
        #expect(desk.get("/?above=1?sort=Title&show=a", Self.browser).text == page.text)
        let file = try #require(Self.files(of: page).first)
        for (target, list) in [
            ("/browse/?nonsense=1", "the parameters are limit, after,"),
            ("\(file)?nonsense=1", "this resource has none."),
            ("/?nonsense=1", "the parameters are limit, after,"),
        ] {
            let answer = desk.get(target, Self.browser)
            #expect(answer.status == 400, "\(target)")
            #expect(answer.text.contains("'nonsense' is not a parameter here; \(list)"), "\(target)")
        }
        #expect(try Desk(#"["a"]"#).get("/browse/?nonsense=1").status == 404)
    }

    @Test(
        "names the level that its modules ask for first, unless they may begin elsewhere",
        arguments: [
            ("/", "/levels/"), ("/browse", "/levels/"), ("/browse/", "/levels/"), ("/browse/?", "/levels/"),
            ("/browse/a%20b/c", "/levels/a%20b/c"), ("/browse/a?sort=-Title", nil), ("/browse/a?show=", nil),
            ("/browse/<a>", nil), ("/browse/" + String(repeating: "a", count: 3000), nil),
        ] as [(String, String?)])
    func preload(target: String, level: String?) throws {
        let link = level.map { "<\($0)?limit=100&start=0&sections=100>; rel=preload; as=fetch; crossorigin" }
        #expect(try Self.desk().get(target, Self.browser).header("Link") == link)
        let closed = try Desk(#"["a"]"#) {
            $0.hasWebClient = true
            $0.reading = TokenAccess { AccessTokens([]) }
        }
        #expect(closed.get(target, Self.browser).header("Link") == nil)
    }

    @Test("has the path of a proxy in each address")
    func basePath() throws {
        let desk = try Desk(#"["a"]"#) {
            $0.hasWebClient = true
            $0.basePath = "/music"
        }
        let page = desk.get("/browse/a", Self.browser)
        let addresses = page.text.matches(of: /(?:href|src)="(\/[^"]+)"/).map { String($0.output.1) }
        #expect(addresses.count > 10)
        for address in addresses {
            #expect(address.hasPrefix("/music/"), "\(address)")
            #expect(desk.get(address).status == 200, "\(address)")
        }
        let target = "/music/levels/a?limit=100&start=0&sections=100"
        #expect(page.header("Link") == "<\(target)>; rel=preload; as=fetch; crossorigin")
    }

    @Test("may run and load only the service's own files")
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

    @Test("has a library for other pages, at a path that does not change")
    func library() throws {
        let desk = try Self.desk()
        let library = desk.get("/client/drilldown.js")
        #expect(library.status == 200)
        #expect(library.header("Content-Type") == "text/javascript; charset=utf-8")
        #expect(library.header("Cache-Control") == "no-cache")
        #expect(desk.get("/client/drilldown.js", [("If-None-Match", library.entityTag)]).status == 304)
        #expect(library.text == (try String(contentsOf: Self.folder.appending(path: "drilldown.js"), encoding: .utf8)))
        let types = desk.get("/client/drilldown.d.ts")
        #expect(types.status == 200 && types.header("Content-Type") == "text/plain; charset=utf-8")
        #expect(
            types.text == (try String(contentsOf: Self.folder.appending(path: "types/drilldown.d.ts"), encoding: .utf8))
        )
        #expect(desk.get("/client/app.js").status == 404)
        let shared = try Desk(#"["a"]"#) {
            $0.hasWebClient = true
            $0.allowedOrigins = try AllowedOrigins("http://localhost:8000")
        }
        let origin = [("Origin", "http://localhost:8000")]
        for name in ["drilldown.js", "drilldown.d.ts"] {
            #expect(shared.get("/client/\(name)", origin).header("Access-Control-Allow-Origin") == origin[0].1)
        }
        #expect(shared.get("/browse/", origin).header("Access-Control-Allow-Origin") == nil)
        #expect(try Desk(#"["a"]"#).get("/client/drilldown.js").status == 404)
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
        #expect(
            WebClientFile.all.map(\.name)
                == (names + ["drilldown.d.ts"]).filter {
                    ["js", "css", "html"].contains($0.split(separator: ".").last) || $0 == "drilldown.d.ts"
                }.sorted())
    }

    @Test("is sent as its sources are, without the lines of comments in modules")
    func sources() throws {
        let desk = try Self.desk()
        let files = Self.files(of: desk.get("/browse/"))
        for file in files {
            let name = String(file.split(separator: "/").last ?? "")
            let source = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
            let code = lines.filter { !$0.trimmingPrefix(while: { $0 == " " }).hasPrefix("//") }.joined(separator: "\n")
            let isModule = name.hasSuffix(".js") && !WebClientFile.libraryNames.contains(name)
            #expect(desk.get(file).text == (isModule ? code : source))
        }
    }
}
