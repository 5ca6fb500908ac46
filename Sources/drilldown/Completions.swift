import PropertyLists

/// The scripts that complete the commands, options and values of drilldown in a shell.
enum Completions {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish

        /// The names of all shells, for a sentence.
        static let list =
            "\(allCases.dropLast().map(\.rawValue).joined(separator: ", ")) or \(allCases[allCases.count - 1])"
    }

    /// What the options that every command takes do.
    static let common: [(name: String, help: String)] = [
        ("help", "explains the command and its options"), ("version", "prints the version"),
    ]

    /// The suffixes of the documents that are suggested, besides folders.
    static let suffixes = ["plist", "json"]

    /// - Throws: `UsageError` if the arguments are not the name of one shell.
    static func script(for arguments: [String]) throws(UsageError) -> String {
        guard let name = arguments.first else {
            throw UsageError("no shell is given; name one: drilldown completions bash.")
        }
        guard arguments.count == 1 else {
            throw UsageError(
                "completions takes one shell, not \(arguments.count): \(arguments.joined(separator: ", ")).")
        }
        guard let shell = Shell(rawValue: name) else {
            throw UsageError("there are no completions for '\(quoted: name)', only for \(Shell.list).")
        }
        return script(for: shell)
    }

    static func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }
}
