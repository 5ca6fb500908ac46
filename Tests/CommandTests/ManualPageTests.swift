import Testing

@testable import drilldown

@Suite("The manual page")
struct ManualPageTests {
    private let lines = ManualPage.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

    @Test("has the usual sections in the usual order")
    func sections() {
        #expect(
            lines.filter { $0.hasPrefix(".SH ") } == [
                ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS", ".SH OPTIONS OF IMPORT",
                ".SH OPTIONS OF EXPORT", ".SH OPTIONS OF BROWSE",
                ".SH CONFIGURATION", ".SH NAMES", ".SH TOKENS",
                ".SH LOG", ".SH SYSTEMD", ".SH SIGNALS", ".SH EXIT STATUS", ".SH FILES", ".SH EXAMPLES",
            ])
        #expect(lines.contains(".TH DRILLDOWN 1 \"\" \"\(Help.version)\" \"User Commands\""))
        #expect(lines.contains("drilldown \\- serves a property list over HTTP, one level at a time"))
    }

    @Test("explains every command and every option once, with key, variable and default")
    func options() {
        for command in CommandLineArguments.Command.allCases {
            #expect(lines.count { $0 == ".B \(command.rawValue)" } == 1, "\(command)")
        }
        let heads = lines.filter { $0.hasPrefix("\\fB\\-\\-") }
        #expect(heads.count == Option.ofAllCommands.count)
        for option in Option.ofImport + Option.ofBrowse {
            #expect(
                heads.count {
                    $0.hasPrefix("\\fB\\-\\-\(option.name.split(separator: "-").joined(separator: "\\-"))\\fR")
                } == 1)
        }
        for option in Option.all {
            let name = "\\fB\\-\\-\(option.name.split(separator: "-").joined(separator: "\\-"))\\fR"
            #expect(heads.count { $0 == name || $0.hasPrefix("\(name) ") } == 1, "\(option.name)")
            #expect(
                lines.count {
                    $0.hasSuffix("ariable \(option.variable).") || $0.contains("ariable \(option.variable),")
                } == 1,
                "\(option.variable)")
        }
        let start = lines.firstIndex(of: "\\fB\\-\\-listen\\fR \\fIHOST:PORT\\fR") ?? 0
        #expect(
            lines[start...].prefix(3).dropFirst() == [
                "Where to listen, or unix:PATH; may be repeated.",
                "Key Listen, variable DRILLDOWN_LISTEN, default 127.0.0.1:8080.",
            ])
    }

    @Test("has the paragraphs of the help")
    func paragraphs() {
        for section in Help.Section.all {
            #expect(Help.text(for: .serve).contains("\n\n\(section.text)\n"), "\(section.heading)")
            let lines = section.text.split(separator: "\n").map(ManualPage.escaped).joined(separator: "\n")
            #expect(ManualPage.text.contains(".SH \(section.heading)\n\(lines)\n.SH "), "\(section.heading)")
        }
    }

    @Test(
        "has no text that groff takes for a request or an escape",
        arguments: [
            (".SH", "\\&.SH"), ("'any' serves", "\\&'any' serves"), ("a\\b", "a\\eb"), ("--a-b", "\\-\\-a\\-b"),
            ("N,…", "N,..."), ("5 µs", "5 \\[u00B5]s"),
        ])
    func escapes(_ line: String, _ escaped: String) { #expect(ManualPage.escaped(line) == escaped) }

    @Test("takes no arguments")
    func arguments() {
        #expect(throws: UsageError(fact: "manual takes no arguments, but there are: a, b.")) {
            try ManualPage.text(for: ["a", "b"])
        }
    }
}
