import LevelsAPI
import Testing

@testable import TestSupport
@testable import drilldown

@Suite("Edit tokens")
struct TokenSourceTests {
    private let scratch: ScratchFolder
    private let token = "6fe0-0123456789abcdef"

    init() throws { scratch = try ScratchFolder() }

    private func source(
        _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) throws -> TokenSource? {
        let parsed = try CommandLineArguments(arguments: ["serve", "a.plist"] + arguments)
        return try TokenSource(purpose: .editing, settings: Settings(arguments: parsed, environment: environment)) {
            _ in
        }
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

    @Test("for reading have a file and a variable of their own")
    func reading() throws {
        func count(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Int? {
            let parsed = try CommandLineArguments(arguments: ["serve", "a.plist"] + arguments)
            return try TokenSource(purpose: .reading, settings: Settings(arguments: parsed, environment: environment)) {
                _ in
            }?.tokens.count
        }
        let path = try scratch.write("read-tokens", "\(token)\n\(token)x\n")
        #expect(try count([]) == nil)
        #expect(try count([], ["DRILLDOWN_EDIT_TOKEN": token]) == nil)
        #expect(try count(["--read-token-file", path], ["DRILLDOWN_READ_TOKEN": token]) == 3)
        #expect(
            throws: StartRefusal(
                description: "DRILLDOWN_READ_TOKEN, line 1: the token is shorter than 16 characters; make it longer.")
        ) {
            try count([], ["DRILLDOWN_READ_TOKEN": "short"])
        }
    }

    @Test("for reading and shared caches exclude each other")
    func shared() throws {
        func settings(_ environment: [String: String] = [:]) throws(UsageError) -> Settings {
            try Settings(
                arguments: CommandLineArguments(arguments: ["serve", "a", "--cache-control", "public"]),
                environment: environment)
        }
        #expect(try settings().api.cacheControl == "public")
        #expect(
            throws: UsageError(
                fact:
                    "--cache-control: 'public' lets shared caches keep answers that need a read token; leave out public and s-maxage."
            )
        ) {
            try settings(["DRILLDOWN_READ_TOKEN": token])
        }
        #expect(
            throws: UsageError(
                fact:
                    "--cache-control: 's-maxage=9' lets shared caches keep answers that need a read token; leave out public and s-maxage."
            )
        ) {
            try Settings(
                arguments: CommandLineArguments(arguments: [
                    "serve", "a", "--cache-control", "s-maxage=9", "--read-token-file", "none",
                ]),
                environment: [:]
            )
        }
    }

    @Test("that cannot be had end the start with one sentence, which has no token")
    func refusals() throws {
        let missing = #expect(throws: StartRefusal.self) {
            try source(["--edit-token-file", scratch("none")])
        }
        #expect(
            missing?.description
                == "--edit-token-file: '\(scratch("none"))' cannot be read: No such file or directory.")
        let short = #expect(throws: StartRefusal.self) {
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
            ["--read-token", "TOKEN"],
        ])
    func commandLine(_ words: [String]) {
        let words = words.map { $0.replacing("TOKEN", with: token) }
        let error = #expect(throws: UsageError.self) {
            try CommandLineArguments(arguments: ["serve", "a.plist"] + words)
        }
        let name = words[0].prefix { $0 != "=" }
        #expect(
            error?.description == """
                '\(name)' is not an option. Other users can see a command line: put tokens into a file, and name it with \
                '\(name.contains("read") ? "--read" : "--edit")-token-file'.
                """)
    }

    @Test("are reported in the log by file and line alone")
    func log() {
        func text(_ notice: AccessTokenFile.Notice) -> String {
            Log(format: .text).line(of: Log.Entry(notice: notice, path: "tokens"), at: 0)
        }
        #expect(text(.reread(count: 2)) == "drilldown: the token file 'tokens' was read again: 2 tokens")
        #expect(
            text(.reread(count: 0))
                == "drilldown: the token file 'tokens' was read again: 0 tokens; the file allows nothing")
        #expect(
            AccessTokens(Array("short".utf8)).faults.map { text(.fault($0)) } == [
                "drilldown: warning: tokens: line 1 allows nothing: the token is shorter than 16 characters; make it longer"
            ])
        #expect(
            text(.exposed(mode: 0o644)) == """
                drilldown: warning: the token file 'tokens' can be read or changed by other users (mode 644); \
                'chmod 600' keeps it secret
                """)
        #expect(
            text(.unreadable("Permission denied")) == """
                drilldown: error: the token file 'tokens' cannot be read: Permission denied. Its tokens are refused \
                until it can be read.
                """)
        #expect(
            Log(format: .text).line(of: Log.Entry(TokenEvent.wrongTokens(address: "192.0.2.1")), at: 0)
                == "drilldown: warning: many wrong tokens come from 192.0.2.1; further ones are answered with 429")
    }
}
