/// What `--help` and `--version` print.
enum Help {
    static let versionNumber = "0.1.0"
    static let version = "drilldown \(versionNumber)"

    static func text(for command: CommandLineArguments.Command?) -> String {
        switch command {
        case nil: general
        case .serve: serve
        case .check: check
        case .browse: browse
        case .completions: completions
        case .manual: manual
        }
    }

    /// What the program is for, in one sentence.
    static let purpose = "drilldown serves a property list over HTTP, one level at a time."

    private static var general: String {
        let commands = CommandLineArguments.Command.allCases.map { command in
            "drilldown " + command.synopsis + String(repeating: " ", count: 27 - command.synopsis.count)
                + command.summary + "\n       "
        }
        return """
            \(purpose)

            usage: \(commands.joined())drilldown --help | --version
                   drilldown COMMAND --help             explains a command and its options

            To get started: drilldown serve Data.plist

            \(Section.statuses.text)

            """
    }

    private static var serve: String {
        """
        usage: drilldown \(CommandLineArguments.Command.serve.synopsis)

        \(Section.serving.text)

        \(options(of: .serve))
        \(Section.all.map(\.text).joined(separator: "\n\n"))
        \(Section.statuses.text)

        """
    }

    private static var check: String {
        """
        usage: drilldown \(CommandLineArguments.Command.check.synopsis)

        \(Section.checking.text)

        \(options(of: .check))
        The options are also environment variables and keys of the configuration file;
        'drilldown serve --help' explains them.
        Exit status: 0 fine (warnings allowed), 1 a document is refused, 2 wrong usage.

        """
    }

    private static var browse: String {
        """
        usage: drilldown \(CommandLineArguments.Command.browse.synopsis)

        \(Section.browsing.text)

        \(options(of: .browse))
        \(Section.browsingKeys.text)

        Exit status: 0 fine, 1 the server cannot be reached or refuses, 2 wrong usage.

        """
    }

    private static var completions: String {
        """
        usage: drilldown \(CommandLineArguments.Command.completions.synopsis)

        Prints the script that completes drilldown's commands, options and values in a shell:
        \(Completions.Shell.list). 'make install' puts each of them into the shell's folder.

        To try them: source <(drilldown completions bash)

        """
    }

    private static var manual: String {
        """
        usage: drilldown \(CommandLineArguments.Command.manual.synopsis)

        Prints the manual page drilldown(1), made of the same options as this help.

        To read it: drilldown manual | man -l -

        """
    }

    private static func options(of command: CommandLineArguments.Command) -> String {
        let lines = Option.all(of: command).map { option in
            (left: "  --\(option.name)" + (option.placeholder.map { " \($0)" } ?? ""), option)
        }
        let width = lines.map(\.left.count).max() ?? 0
        return lines.map { left, option in
            let standard = option.standard.map { " (\($0))" } ?? ""
            return left + String(repeating: " ", count: width + 2 - left.count) + option.help + standard + "\n"
        }.joined()
    }
}
