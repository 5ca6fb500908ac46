extension Completions {
    /// The function of a file `_drilldown` in a folder of `$fpath`.
    static var zsh: String {
        let commands = CommandLineArguments.Command.allCases
        let described = commands.map { ShellWord.quoted("\($0.rawValue):\($0.summary)") }
        return """
            #compdef drilldown
            # Completions of \(Help.version) for zsh, printed by: drilldown completions zsh

            _drilldown_command() {
                local -a commands=(\(described.joined(separator: " ")))
                _describe command commands
            }

            _drilldown_document() {
                _path_files -g '*.(#i)(\(suffixes.joined(separator: "|")))(-.) *(-/)'
            }

            _drilldown() {
                local curcontext=$curcontext state line
                _arguments -C -S \(commonSpecifications.joined(separator: " ")) \\
                    '1:command:_drilldown_command' '*::argument:->argument'
                [[ $state == argument ]] || return
                curcontext=${curcontext%:*:*}:drilldown-$words[1]:
                case $words[1] in
            \(commands.map(arguments).joined())\
                esac
            }

            _drilldown "$@"

            """
    }

    private static var commonSpecifications: [String] {
        common.map { option in
            let names = option.name == "help" ? "{-h,--help}" : "--\(option.name)"
            return "'(- *)'\(names)\(ShellWord.quoted("[\(escaped(option.help, "[]"))]"))"
        }
    }

    /// The case of a command: the specifications of its options and other arguments for `_arguments`.
    private static func arguments(of command: CommandLineArguments.Command) -> String {
        var specifications = commonSpecifications + Option.all(of: command).map(specification)
        switch command {
        case .serve: specifications.append("'1:document:_drilldown_document'")
        case .check: specifications.append("'*:document:_drilldown_document'")
        case .completions:
            specifications.append("'1:shell:(\(Shell.allCases.map(\.rawValue).joined(separator: " ")))'")
        case .browse: specifications.append("'1:URL:_urls'")
        case .manual: break
        }
        return """
                    \(command.rawValue))
                        _arguments -S \\
                            \(specifications.joined(separator: " \\\n                "))
                        ;;

            """
    }

    private static func specification(of option: Option) -> String {
        let explanation = "[\(escaped(option.help, "[]"))]"
        guard let placeholder = option.placeholder else { return ShellWord.quoted("--\(option.name)\(explanation)") }
        let action =
            switch option.value {
            case .choices(let choices): "(\(choices.joined(separator: " ")))"
            case .file: "_files"
            case .folder: "_files -/"
            case .none, .text: " "
            }
        return ShellWord.quoted("--\(option.name)=\(explanation):\(escaped(placeholder, ":")):\(action)")
    }

    private static func escaped(_ text: String, _ special: String) -> String {
        text.reduce(into: "") { $0 += special.contains($1) ? "\\\($1)" : "\($1)" }
    }
}
