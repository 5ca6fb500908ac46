/// What `--help` and `--version` print.
enum Help {
    static let version = "drilldown 0.1.0"

    static func text(for command: CommandLineArguments.Command?) -> String {
        switch command {
        case nil: general
        case .serve: serve
        case .check: check
        }
    }

    private static let general = """
        drilldown serves a property list over HTTP, one level at a time.

        usage: drilldown serve [SOURCE] [OPTION…]   serves a document
               drilldown check SOURCE… [OPTION…]    lists the errors and warnings of documents
               drilldown --help | --version
               drilldown COMMAND --help             explains a command and its options

        To get started: drilldown serve Data.plist

        \(statuses)
        """

    private static let statuses = """
        Exit status: 0 fine, 1 refused or failed, 2 wrong usage.

        """

    private static var serve: String {
        """
        usage: drilldown serve [SOURCE] [OPTION…]

        Serves a property list (XML, binary or JSON), and each change to it as soon as it
        is saved. SOURCE is a file, the folder of a settings bundle, or the http or https
        URL of a document, which is fetched again when it changes.

        \(options(of: .serve))
        Every option is also an environment variable: --listen is DRILLDOWN_LISTEN,
        --config DRILLDOWN_CONFIG, SOURCE DRILLDOWN_SOURCE; an empty variable counts as
        unset. Every option except --config is also a key of the configuration file:
        Listen, and Source for SOURCE; a relative path in the file is relative to the
        file's folder. Options override variables, and variables override the file.

        Edits need a token, which is never an option: DRILLDOWN_EDIT_TOKEN or a line of the
        file of --edit-token-file is one, of 16 characters or more, after a name and a space
        if it has a name. The file is read again when it changes.

        The log goes to standard error, one line per event. As JSON, each line is an
        object with time, level (info, warning, error), event and message, and members
        specific to the event. A request (--access-log) has address, method, target,
        status, bytes (of the body), microseconds (to the last byte) and completed; a
        warning or a refused document has file, line and column (or offset, in a binary
        file), and path.

        A socket that systemd hands over takes precedence over --listen, and systemd is
        notified of the start, reloads, the stop and, for its watchdog, of signs of life.

        SIGHUP reloads the document; SIGTERM and SIGINT finish running requests and exit.
        \(statuses)
        """
    }

    private static var check: String {
        """
        usage: drilldown check SOURCE… [OPTION…]

        Reads documents and lists their errors and warnings as file:line:column: message.
        SOURCE is a file, the folder of a settings bundle, an http or https URL, or - for
        standard input.

        \(options(of: .check))
        The options are also environment variables and keys of the configuration file;
        'drilldown serve --help' explains them.
        Exit status: 0 fine (warnings allowed), 1 a document is refused, 2 wrong usage.

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
