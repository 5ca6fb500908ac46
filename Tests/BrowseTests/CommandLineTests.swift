import DrilldownClient
import DrilldownPreviews
import Foundation
import Testing

@testable import drilldown_browse

@Suite("The command line of drilldown-browse")
struct CommandLineTests {
    @Test(
        "has options before, after and without the sign",
        arguments: [
            (["h"], ["h", nil, nil]), (["--", "--lines"], ["--lines", nil, nil]), (["-"], ["-", nil, nil]),
            (
                ["--token-file", "t", "--lines", "http://h", "--cache-folder=c=d", "--follow"],
                ["http://h", "t", "c=d", "lines", "follows"]
            ),
            (["--token-file=", "h", "--cache-folder", "c"], ["h", "", "c"]),
            (["--help"], ["", nil, nil, "help"]), (["-h", "a", "b"], ["", nil, nil, "help"]),
            (["--version"], ["", nil, nil, "version"]),
        ] as [([String], [String?])])
    func options(_ words: [String], _ expected: [String?]) throws {
        let found = try BrowseArguments(words)
        let flags = [
            (found.printsLines, "lines"), (found.follows, "follows"), (found.wantsHelp, "help"),
            (found.wantsVersion, "version"),
        ]
        #expect([found.url, found.tokenFile, found.cacheFolder] + flags.filter(\.0).map(\.1) == expected)
    }

    @Test(
        "is refused in a sentence",
        arguments: [
            ([], "One URL is needed, such as http://127.0.0.1:8080, but there are 0."),
            (["a", "b"], "One URL is needed, such as http://127.0.0.1:8080, but there are 2."),
            (["--\u{1B}x"], "'--\\u{1B}x' is not an option; --help lists them."),
            (["h", "--token-file"], "The option '--token-file' needs a value."),
        ])
    func refusals(_ words: [String], _ sentence: String) {
        #expect(throws: Failure(sentence, status: 2)) { try BrowseArguments(words) }
    }

    @Test("names a file whose first line with a token has the token at its end")
    func tokens() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { _ = Result { try FileManager.default.removeItem(at: file) } }
        try Data("# bob 1\n\nbob 2\n3\n".utf8).write(to: file)
        #expect(try TokenFile.token(in: file.path) == "2")
        try Data("# bob 1\n \n".utf8).write(to: file)
        #expect(throws: Failure("The token file '\(file.path)' has no line with a token.")) {
            try TokenFile.token(in: file.path)
        }
    }

    @Test(
        "names a server and a place in its document",
        arguments: [
            ("http://h:1", "http://h:1", Place(.level, at: .root)),
            ("http://h:1/", "http://h:1", Place(.level, at: .root)),
            ("http://h:1/levels/Item%204/a%2Fb", "http://h:1", Place(.level, at: ["Item 4", "a/b"])),
            ("https://h/detail/Item%204", "https://h", Place(.detail, at: ["Item 4"])),
            ("http://h/base/browse/a", "http://h/base", Place(.level, at: ["a"])),
            ("http://h/browse/levels", "http://h", Place(.level, at: ["levels"])),
            ("http://h/detail/browse/levels", "http://h", Place(.detail, at: ["browse", "levels"])),
            ("http://h/levelspace/levels/detail", "http://h/levelspace", Place(.level, at: ["detail"])),
            ("http://h/levels-1/x/browse", "http://h/levels-1/x", Place(.level, at: .root)),
            ("http://h/base//", "http://h/base", Place(.level, at: .root)),
            ("h:1", "http://h:1", Place(.level, at: .root)),
            ("http://h/browse/a#b", "http://h", Place(.level, at: ["a"])),
            ("http://h/#b", "http://h", Place(.level, at: .root)),
            ("HTTP://h/levels/a", "HTTP://h", Place(.level, at: ["a"])),
        ])
    func addresses(_ url: String, _ server: String, _ place: Place) throws {
        let start = try StartAddress(url)
        #expect(start.server == server)
        #expect(start.place == place)
    }

    @Test("prints a line for each row that was removed, added, moved or altered")
    func differences() {
        func level(_ keys: String) -> Level {
            Level(title: "", path: .root, rows: keys.map { Row(key: $0.lowercased(), version: String($0), count: 2) })
        }
        let listing = LineListing(server: Server(inMemory: []), address: "http://h")
        let lines = listing.lines(of: LevelDifference(from: level("abcd"), to: level("daBe")))
        #expect(lines == ["- c", "+ e", "> d", "~ b"].map { "\($0)\t2\thttp://h/levels/\($0.suffix(1))" })
    }

    @Test("refuses URLs that do not belong to a server")
    func badAddresses() {
        for url in ["ftp://h", "http:///levels/", ""] {
            #expect(
                throws: Failure("'\(url)' is not the URL of a server; write it as http://127.0.0.1:8080.", status: 2)
            ) { try StartAddress(url) }
        }
        let query = "'http://h/levels/?q=a' has a query, which cannot be browsed; leave out all from '?' on."
        #expect(throws: Failure(query, status: 2)) { try StartAddress("h/levels/?q=a") }
    }
}
