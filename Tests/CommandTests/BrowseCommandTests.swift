import Testing

@testable import drilldown

@Suite("The command browse")
struct BrowseCommandTests {
    private func words(_ line: String) throws -> [String] {
        try BrowseCommand.programArguments(
            of: CommandLineArguments(arguments: line.split(separator: " ").map(String.init)))
    }

    @Test(
        "gives the program its options, then the URL",
        arguments: [
            ("browse http://h:1", ["--", "http://h:1"]),
            ("browse http://h:1/levels/a --follow", ["--follow", "--", "http://h:1/levels/a"]),
            (
                "browse --cache-folder=c --token-file t --lines http://h:1",
                ["--token-file", "t", "--lines", "--cache-folder", "c", "--", "http://h:1"]
            ),
            ("browse --lines=yes --follow=no http://h:1", ["--lines", "--", "http://h:1"]),
        ])
    func arguments(_ line: String, _ expected: [String]) throws { #expect(try words(line) == expected) }

    @Test("refuses a wrong value of a flag")
    func flag() {
        #expect(throws: UsageError(fact: "--lines: 'nonsense' is not true or false.")) {
            try words("browse --lines=nonsense http://h:1")
        }
    }

    @Test("needs one URL")
    func url() {
        let hint = "For example: drilldown browse http://127.0.0.1:8080"
        #expect(throws: UsageError(fact: "browse needs the URL of a server.", hint: hint)) { try words("browse") }
        #expect(throws: UsageError(fact: "browse takes one URL, not 2.", hint: hint)) {
            try words("browse http://h http://i")
        }
    }

    @Test("never takes a token from the command line")
    func token() {
        #expect(
            throws: UsageError(
                fact: "'--token' is not an option.",
                hint:
                    "Other users can see a command line: put tokens into a file, and name it with '--token-file'.")
        ) { try words("browse http://h --token secret") }
    }
}
