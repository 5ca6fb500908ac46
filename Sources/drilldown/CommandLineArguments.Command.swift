extension CommandLineArguments {
    /// The first word of a command line, in the order of the help text.
    enum Command: String, CaseIterable {
        case serve, check, browse, completions, manual

        /// The command with its arguments.
        var synopsis: String {
            switch self {
            case .serve: "serve [SOURCE] [OPTION…]"
            case .check: "check SOURCE… [OPTION…]"
            case .browse: "browse URL [OPTION…]"
            case .completions: "completions SHELL"
            case .manual: "manual"
            }
        }

        /// What it does, in a few words.
        var summary: String {
            switch self {
            case .serve: "serves a document"
            case .check: "lists the errors and warnings of documents"
            case .browse: "shows a server's levels in a terminal"
            case .completions: "prints the completions of \(Completions.Shell.list)"
            case .manual: "prints the manual page"
            }
        }

        /// The names of all commands, for a sentence.
        static let list =
            "\(allCases.dropLast().map(\.rawValue).joined(separator: ", ")) and \(allCases[allCases.count - 1])"
    }
}
