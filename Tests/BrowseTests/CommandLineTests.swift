import DrilldownClient
import Testing

@testable import drilldown_browse

@Suite("The command line of drilldown-browse")
struct CommandLineTests {
    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test("has options before, after and without the sign")
    func options() throws {
        let arguments = try BrowseArguments([
            "--token-file", "t", "--lines", "http://h", "--cache-folder=c", "--follow",
        ])
        #expect(arguments.url == "http://h")
        #expect(arguments.tokenFile == "t")
        #expect(arguments.cacheFolder == "c")
        #expect(arguments.printsLines && arguments.follows)
        #expect(try BrowseArguments(["--", "--lines"]).url == "--lines")
        #expect(try BrowseArguments(["--help"]).wantsHelp)
    }

    @Test("is refused in a sentence")
    func refusals() {
        #expect(
            failure { _ = try BrowseArguments([]) }
                == "One URL is needed, such as http://127.0.0.1:8080, but there are 0.")
        #expect(
            failure { _ = try BrowseArguments(["--\u{1B}x"]) } == "'--\\u{1B}x' is not an option; --help lists them.")
        #expect(failure { _ = try BrowseArguments(["--token-file"]) } == "The option '--token-file' needs a value.")
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
            ("http://h/base/", "http://h/base", Place(.level, at: .root)),
            ("h:1", "http://h:1", Place(.level, at: .root)),
            ("http://h/browse/a#b", "http://h", Place(.level, at: ["a"])),
            ("http://h/#b", "http://h", Place(.level, at: .root)),
        ])
    func addresses(_ url: String, _ server: String, _ place: Place) throws {
        let start = try StartAddress(url)
        #expect(start.server == server)
        #expect(start.place == place)
    }

    @Test("refuses URLs that do not belong to a server")
    func badAddresses() {
        #expect(
            failure { _ = try StartAddress("ftp://h") }
                == "'ftp://h' is not the URL of a server; write it as http://127.0.0.1:8080.")
        #expect(
            failure { _ = try StartAddress("http://h/levels/?q=a") }
                == "'http://h/levels/?q=a' has a query, which cannot be browsed; leave out all from '?' on.")
    }
}
