extension Completions {
    /// A file `drilldown.fish` in a folder of completions.
    static var fish: String {
        let commands = CommandLineArguments.Command.allCases
        let names = commands.map(\.rawValue).joined(separator: " ")
        let first = commands.map { command in
            "complete -c drilldown -n 'not __fish_seen_subcommand_from \(names)' -a \(command.rawValue)"
                + " -d \(ShellWord.quoted(command.summary))"
        }
        let informing = common.map { option in
            "complete -c drilldown \(option.name == "help" ? "-s h " : "")-l \(option.name)"
                + " -d \(ShellWord.quoted(option.help))"
        }
        let options = (Option.all + Option.ofBrowse).map { option in
            let takers = commands.filter { Option.all(of: $0).contains { $0.name == option.name } }.map(\.rawValue)
            return "complete -c drilldown -n '__fish_seen_subcommand_from \(takers.joined(separator: " "))'"
                + " -l \(option.name)\(parameter(of: option)) -d \(ShellWord.quoted(option.help))"
        }
        let documents = (suffixes.map { "\\.\($0)" } + ["/"]).joined(separator: "|")
        return """
            # Completions of \(Help.version) for fish, printed by: drilldown completions fish

            # Documents and folders; fish itself would suggest all other files behind them.
            function __drilldown_documents
                __fish_complete_suffix .\(suffixes[0]) | string match -r '^.*(?:\(documents))$'
            end

            complete -c drilldown -f
            \(first.joined(separator: "\n"))
            \(informing.joined(separator: "\n"))
            \(options.joined(separator: "\n"))
            complete -c drilldown -n '__fish_seen_subcommand_from serve check' -a '(__drilldown_documents)'
            complete -c drilldown -n '__fish_seen_subcommand_from completions' -a '\
            \(Shell.allCases.map(\.rawValue).joined(separator: " "))'

            """
    }

    private static func parameter(of option: Option) -> String {
        switch option.value {
        case .none: ""
        case .choices(let choices): " -x -a '\(choices.joined(separator: " "))'"
        case .file: " -r -F"
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .text: " -x"
        }
    }
}
