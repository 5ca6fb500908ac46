extension Help {
    /// A part of the help that is a section of the manual page too.
    struct Section {
        /// The section's heading in the manual page.
        let heading: String
        /// Its lines, which a blank line divides into paragraphs.
        let text: String

        static let serving = Section(
            heading: "serve",
            text: """
                Serves a property list (XML, binary or JSON), and each change to it as soon as it
                is saved. SOURCE is a file, the folder of a settings bundle, or the http or https
                URL of a document, which is fetched again when it changes.
                """)

        static let checking = Section(
            heading: "check",
            text: """
                Reads documents and lists their errors and warnings as file:line:column: message.
                SOURCE is a file, the folder of a settings bundle, an http or https URL, or - for
                standard input.
                """)

        static let browsing = Section(
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

        /// Those that follow the options, in the order of the help text.
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
