/// The texts of `--help` and `--version`.
enum Help {
    static let versionNumber = "0.1.0"
    static let version = "drilldown \(versionNumber)"

    static func text(for command: CommandLineArguments.Command?) -> String {
        guard let command else { return general }
        let paragraphs = ["usage: drilldown \(command.synopsis)"] + paragraphs(on: command)
        return paragraphs.joined(separator: "\n\n") + "\n"
    }

    /// The program's purpose, in one sentence.
    static let purpose = "drilldown serves a property list over HTTP, one level at a time."

    private static var general: String {
        let commands = CommandLineArguments.Command.allCases.map { command in
            "drilldown " + command.synopsis + String(repeating: " ", count: 32 - command.synopsis.count)
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

    private static func paragraphs(on command: CommandLineArguments.Command) -> [String] {
        switch command {
        case .serve:
            let sections = Section.all.map(\.text).joined(separator: "\n\n")
            return [Section.serve.text, options(of: .serve), sections + "\n" + Section.statuses.text]
        case .check:
            let rest = """
                The options are also environment variables and keys of the configuration file;
                'drilldown serve --help' explains them.
                Exit status: 0 fine (warnings allowed), 1 a document is refused, 2 wrong usage.
                """
            return [Section.check.text, options(of: .check), rest]
        case .import, .export:
            let section = command == .import ? Section.import : Section.export
            let statuses = "Exit status: 0 fine, 1 the source or the target refuses, 2 wrong usage."
            return [section.text, options(of: command), statuses]
        case .browse:
            let statuses = "Exit status: 0 fine, 1 the server cannot be reached or refuses, 2 wrong usage."
            return [Section.browse.text, options(of: .browse), Section.browsingKeys.text, statuses]
        case .completions:
            let purpose = """
                Prints the script that completes drilldown's commands, options and values in a shell:
                \(Shell.list). Packages install them in the folder of each shell.
                """
            return [purpose, "To try them: source <(drilldown completions bash)"]
        case .manual:
            return [
                "Prints the manual page drilldown(1), made of the same options as this help.",
                "To read it: drilldown manual | man -l -",
            ]
        }
    }

    private static func options(of command: CommandLineArguments.Command) -> String {
        let lines = Option.all(of: command).map { option in
            (left: "  --\(option.name)" + (option.placeholder.map { " \($0)" } ?? ""), option)
        }
        let width = lines.map(\.left.count).max() ?? 0
        return lines.map { left, option in
            let standard = option.standard.map { " (\($0))" } ?? ""
            return left + String(repeating: " ", count: width + 2 - left.count) + option.help + standard
        }.joined(separator: "\n")
    }
}

extension Help {
    /// A part of the help that is also a section of the manual page.
    struct Section {
        /// The section's heading in the manual page.
        let heading: String
        /// The lines of the section. A blank line separates paragraphs.
        let text: String

        static let serve = Section(
            heading: "serve",
            text: """
                Serves a property list (XML, binary or JSON) or a table (CSV, TSV, JSON Lines, or an
                array of records), and each change to it as soon as it is saved. SOURCE is a file, the folder
                of a settings bundle, the http or https URL of a document, which is fetched again when
                it changes, or a tree in a database: sqlite:FILE or
                postgres://[USER@]HOST[:PORT]/DATABASE?tree=NAME.
                """)

        static let check = Section(
            heading: "check",
            text: """
                Reads documents and lists their errors and warnings as file:line:column: message.
                SOURCE is a file, the folder of a settings bundle, an http or https URL, a tree in a
                database, or - for standard input.
                """)

        static let `import` = Section(
            heading: "import",
            text: """
                Puts a document into a database, in one transaction. SOURCE is what serve takes; TARGET
                is sqlite:FILE or postgres://[USER@]HOST[:PORT]/DATABASE?tree=NAME. The servers of the
                tree see it as one revision.
                """)

        static let export = Section(
            heading: "export",
            text: """
                Writes a document to FILE, or to standard output. SOURCE is what serve takes.
                """)

        static let browse = Section(
            heading: "browse",
            text: """
                Shows the levels of a server in the terminal, and each change as it comes. URL is
                the server's address, or that of one of its levels or details: http://HOST:PORT,
                http://HOST:PORT/levels/Item%204. Without a terminal, it prints the level as lines:
                title, number of rows below, and URL, with tabs between them; or the fields of a leaf.
                """)

        static let browsingKeys = Section(
            heading: "KEYS",
            text: """
                The arrows move, and Enter or Right opens a row. Left or Escape goes back. / searches
                below the level as you type. Space shows the fields of the selected row. Page Up, Page
                Down, Home and End move further. q leaves.
                """)

        /// The section about the values of `--keys`.
        static let names = Section(
            heading: "NAMES",
            text: """
                --keys gives the names that a document uses for the roles title, key, children,
                sections, sectionKeys and sectionTitles, several names of one role separated by |:
                --keys 'title=name|label,children=entries'. A role that is not named keeps its
                default: Title, Key, Children|Rows, Sections, SectionKeys, SectionTitles.
                """)

        /// The sections after the options, in the order of the help text.
        static let all = [
            Section(
                heading: "CONFIGURATION",
                text: """
                    Every option is also an environment variable: --listen is DRILLDOWN_LISTEN,
                    --config DRILLDOWN_CONFIG, SOURCE DRILLDOWN_SOURCE; an empty variable counts as
                    unset. Every option except --config is also a key of the configuration file:
                    Listen, and Source for SOURCE; a relative path in the file is relative to the
                    file's folder. Options override variables, and variables override the file.
                    """),
            names,
            Section(
                heading: "TOKENS",
                text: """
                    Edits need a token, which is never an option: DRILLDOWN_EDIT_TOKEN or a line of the
                    file of --edit-token-file is one, of 16 characters or more, after a name and a space
                    if it has a name. The file is read again when it changes. With DRILLDOWN_READ_TOKEN
                    or --read-token-file reading needs a token too, one of these or an edit token.
                    """),
            Section(
                heading: "LOG",
                text: """
                    The log goes to standard error, one line per event. As JSON, each line is an
                    object with time, level (info, warning, error), event and message, and members
                    specific to the event. A request (--access-log) has address, method, target,
                    status, bytes (of the body), microseconds (to the last byte), completed and id; a
                    warning or a refused document has file, line and column (or offset, in a binary
                    file), and path.
                    """),
            Section(
                heading: "SYSTEMD",
                text: """
                    A socket that systemd hands over takes precedence over --listen, and systemd is
                    notified of the start, reloads, the stop and, for its watchdog, of signs of life.
                    """),
            Section(
                heading: "SIGNALS",
                text: """
                    SIGHUP reloads the document; SIGTERM and SIGINT finish running requests and exit.
                    """),
        ]

        static let statuses = Section(
            heading: "EXIT STATUS",
            text: """
                Exit status: 0 fine, 1 refused or failed, 2 wrong usage.
                """)
    }
}
