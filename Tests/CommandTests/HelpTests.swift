import Testing

@testable import drilldown

@Suite("The help")
struct HelpTests {
    private let texts =
        [Help.text(for: nil)] + CommandLineArguments.Command.allCases.map { Help.text(for: $0) }

    @Test("lists the exit statuses, of every command")
    func statuses() {
        #expect(texts[0].contains("\nExit status: 0 fine, 1 refused or failed, 2 wrong usage.\n"))
        #expect(texts[1].contains("\nExit status: 0 fine, 1 refused or failed, 2 wrong usage.\n"))
        for text in texts[3...4] {
            #expect(
                text.contains("\nExit status: 0 fine, 1 the source or the target refuses, 2 wrong usage.\n"))
        }
        #expect(
            texts[5].contains("\nExit status: 0 fine, 1 the server cannot be reached or refuses, 2 wrong usage.\n"))
        #expect(
            texts[2].contains("\nExit status: 0 fine (warnings allowed), 1 a document is refused, 2 wrong usage.\n"))
    }

    @Test("names every option of a command, and DRILLDOWN_CONFIG")
    func options() {
        for command in CommandLineArguments.Command.allCases {
            let lines = Help.text(for: command).split(separator: "\n")
            for option in Option.all(of: command) {
                #expect(lines.count { $0.hasPrefix("  --\(option.name) ") } == 1, "--\(option.name)")
            }
        }
        #expect(texts[1].contains("--config DRILLDOWN_CONFIG"))
        #expect(
            Option.all(of: .check).map(\.name) == [
                "config", "keys", "shape", "title-by", "key-by", "drill-by", "max-items", "max-document-bytes",
                "fetch-timeout", "database-password-file", "databases",
            ])
    }

    @Test("of the program lists every command")
    func commands() {
        for command in CommandLineArguments.Command.allCases {
            #expect(texts[0].split(separator: "\n").count { $0.contains("drilldown \(command.synopsis) ") } == 1)
        }
    }

    @Test("says in a few words what each command takes and does")
    func summaries() {
        #expect(
            CommandLineArguments.Command.allCases.map { "\($0.synopsis): \($0.summary)" } == [
                "serve [SOURCE] [OPTION…]: serves a document",
                "check SOURCE… [OPTION…]: lists the errors and warnings of documents",
                "import SOURCE TARGET [OPTION…]: puts a document into a database",
                "export SOURCE [FILE] [OPTION…]: writes a document to a file",
                "browse URL [OPTION…]: shows a server's levels in a terminal",
                "completions SHELL: prints the completions of bash, zsh or fish", "manual: prints the manual page",
            ])
    }

    @Test("has a line for each option, the explanations below each other, with the value that is the default")
    func lines() {
        let lines = Help.text(for: .browse).split(separator: "\n").filter { $0.hasPrefix("  --") }
        #expect(
            lines == [
                "  --token-file FILE      file with the token that the server asks for",
                "  --lines                prints lines, as it does without a terminal (false)",
                "  --follow               goes on printing the changes; implies --lines (false)",
                "  --cache-folder FOLDER  keeps levels there, to show them while the server is away",
            ])
        #expect(
            CommandLineArguments.Command.allCases.allSatisfy {
                Help.text(for: $0).hasPrefix("usage: drilldown \($0.synopsis)\n")
            })
    }

    @Test("fits a terminal of 100 columns")
    func width() {
        for line in texts.flatMap({ $0.split(separator: "\n") }) { #expect(line.count <= 100, "\(line)") }
    }
}
