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
               drilldown check SOURCE [OPTION…]     tells its errors and warnings
               drilldown --help | --version
               drilldown COMMAND --help

        """

    private static var serve: String {
        """
        usage: drilldown serve [SOURCE] [OPTION…]

        Serves a property list (XML, binary or JSON), and every change of it as soon as it is saved. SOURCE is a file, or
        the http or https URL of a document, which is fetched again as it changes.

        \(options(Option.all))
        Every option but --config is also a key of the configuration file and a variable of the environment: --listen is
        Listen and DRILLDOWN_LISTEN; SOURCE is Source and DRILLDOWN_SOURCE. The option wins over the variable, that over
        the file. SIGHUP reads the document again; SIGTERM and SIGINT finish what runs and end.

        """
    }

    private static var check: String {
        """
        usage: drilldown check SOURCE [OPTION…]

        Reads a document and tells errors and warnings as file:line:column: message.
        Exit status: 0 fine, 1 refused, 2 wrong usage.

        \(options(Option.all.filter(\.isOfCheck)))

        """
    }

    private static func options(_ options: [Option]) -> String {
        let lines = options.map { option in
            (left: "  --\(option.name)" + (option.placeholder.map { " \($0)" } ?? ""), option)
        }
        return lines.map { left, option in
            let standard = option.standard.map { " (\($0))" } ?? ""
            let gap = String(repeating: " ", count: max(1, 34 - left.count))
            return left + gap + option.help + standard + "\n"
        }.joined()
    }
}
