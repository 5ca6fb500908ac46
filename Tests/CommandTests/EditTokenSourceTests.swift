import LevelsAPI
import Testing

@testable import TestSupport
@testable import drilldown

@Suite("Edit tokens")
struct EditTokenSourceTests {
    private let scratch: ScratchFolder
    private let token = "6fe0-0123456789abcdef"

    init() throws { scratch = try ScratchFolder() }

    private func source(
        _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) throws -> EditTokenSource? {
        let parsed = try CommandLineArguments(["serve", "a.plist"] + arguments)
        return try EditTokenSource(Settings(parsed, environment: environment)) { _ in }
    }

    @Test("come from the file and the variable, and there are none without either")
    func sources() throws {
        let path = try scratch.write("tokens", "alice \(token)\n")
        #expect(try source()?.tokens.count == nil)
        #expect(try source([], ["DRILLDOWN_EDIT_TOKEN": ""])?.tokens.count == nil)
        #expect(try source(["--edit-token-file", path])?.tokens.count == 1)
        #expect(try source([], ["DRILLDOWN_EDIT_TOKEN_FILE": path])?.tokens.count == 1)
        #expect(try source([], ["DRILLDOWN_EDIT_TOKEN": "bob \(token)\n\(token)x"])?.tokens.count == 2)
        #expect(try source(["--edit-token-file", path], ["DRILLDOWN_EDIT_TOKEN": "bob \(token)x"])?.tokens.count == 2)
        let configuration = try scratch.write(
            "Conf.plist", "<plist><dict><key>EditTokenFile</key><string>tokens</string></dict></plist>")
        #expect(try source(["--config", configuration])?.tokens.count == 1)
    }

    @Test("that cannot be had end the start with one sentence, which has no token")
    func refusals() throws {
        let missing = #expect(throws: EditTokenSource.Refusal.self) {
            try source(["--edit-token-file", scratch("none")])
        }
        #expect(
            missing?.description
                == "--edit-token-file: '\(scratch("none"))' cannot be read: No such file or directory.")
        let short = #expect(throws: EditTokenSource.Refusal.self) {
            try source([], ["DRILLDOWN_EDIT_TOKEN": "bob secret"])
        }
        #expect(
            short?.description
                == "DRILLDOWN_EDIT_TOKEN, line 1: the token is shorter than 16 characters; make it longer.")
    }

    @Test(
        "are never taken from the command line, and not shown",
        arguments: [
            ["--edit-token", "TOKEN"], ["--edit-tokens", "TOKEN"], ["--edit-token=TOKEN"], ["-token", "TOKEN"],
        ])
    func commandLine(_ words: [String]) {
        let words = words.map { $0.replacing("TOKEN", with: token) }
        let error = #expect(throws: UsageError.self) { try CommandLineArguments(["serve", "a.plist"] + words) }
        let name = words[0].prefix { $0 != "=" }
        #expect(
            error?.description == """
                '\(name)' is not an option. Other users can see a command line: put tokens into a file, and name it with \
                '--edit-token-file'.
                """)
    }

    @Test("are told of in the log by file and line alone")
    func log() {
        func text(_ notice: EditTokenFile.Notice) -> String {
            Log(.text).line(of: Log.Entry(notice, "tokens"), at: 0)
        }
        #expect(text(.reread(count: 2)) == "drilldown: the token file 'tokens' was read again: 2 tokens")
        #expect(
            text(.reread(count: 0))
                == "drilldown: the token file 'tokens' was read again: 0 tokens; nobody can edit with one of it")
        #expect(
            EditTokens(Array("short".utf8)).faults.map { text(.fault($0)) } == [
                "drilldown: warning: tokens: line 1 allows nothing: the token is shorter than 16 characters; make it longer"
            ])
        #expect(
            text(.exposed(mode: 0o644)) == """
                drilldown: warning: the token file 'tokens' can be read or changed by other users (mode 644); \
                'chmod 600' keeps it secret
                """)
        #expect(
            text(.unreadable("Permission denied")) == """
                drilldown: error: the token file 'tokens' cannot be read: Permission denied. Until it can, none of its \
                tokens allows edits.
                """)
        #expect(
            Log(.text).line(of: Log.Entry(EditEvent.wrongTokens(address: "192.0.2.1")), at: 0)
                == "drilldown: warning: many wrong edit tokens come from 192.0.2.1; further ones are answered with 429")
    }
}
