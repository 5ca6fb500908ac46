import PropertyLists

/// The scripts that complete the commands, options and values of drilldown in a shell.
enum Completions {
    /// The options that every command takes, with their help.
    static let common: [(name: String, help: String)] = [
        ("help", "explains the command and its options"), ("version", "prints the version"),
    ]

    /// The suffixes of the files that are suggested as documents. Folders are suggested, too.
    static let suffixes = ["plist", "json"]

    /// Returns the script for the named shell.
    ///
    /// - Throws: `UsageError` if the arguments are not the name of one shell.
    static func script(for arguments: [String]) throws(UsageError) -> String {
        guard let name = arguments.first else {
            throw UsageError(fact: "no shell is given; name one: drilldown completions bash.")
        }
        guard arguments.count == 1 else {
            throw UsageError(
                fact: "completions takes one shell, not \(arguments.count): \(arguments.joined(separator: ", ")).")
        }
        guard let shell = Shell(rawValue: name) else {
            throw UsageError(fact: "there are no completions for '\(quoted: name)', only for \(Shell.list).")
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

extension Completions {
    /// The script for bash. The script uses only bash itself, so that it works without the package bash-completion.
    static var bash: String {
        let commands = CommandLineArguments.Command.allCases
        let names = commands.map(\.rawValue).joined(separator: " ")
        let informing = common.map { "--\($0.name)" }.joined(separator: " ")
        let filters = suffixes.map { "compgen -f -X '!*.\($0)' -- \"$current\"" }
        return """
            # Completions of \(Help.version) for bash, printed by: drilldown completions bash

            _drilldown() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words= index
                COMPREPLY=()
                # The sign in --option=VALUE is a word of its own.
                if [[ $current == = ]]; then
                    current=
                elif [[ $previous == = ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                if ((COMP_CWORD == 1)); then
                    words='\(names)'
                    if [[ $current == -* ]]; then words='\(informing)'; fi
                else
                    # After -- everything is a source.
                    for ((index = 2; index < COMP_CWORD; index++)); do
                        if [[ ${COMP_WORDS[index]} == -- ]]; then previous=--; fi
                    done
                    case ${COMP_WORDS[1]}:$previous in
                        *:--) ;;
            \(commands.flatMap(valueCases).map { "            \($0)\n" }.joined())\
                        completions:completions) words='\(Shell.words)' ;;
                        completions:* | manual:*) return ;;
                        browse:*) [[ $current == -* ]] || return ;;
                    esac
                    if [[ -z $words && $current == -* && $previous != -- ]]; then
                        case ${COMP_WORDS[1]} in
            \(commands.map { "                \(optionCase(of: $0))\n" }.joined())\
                        esac
                    fi
                fi
                if [[ -n $words ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
                else
                    # Folders are added to the documents by readline, which also quotes the names.
                    compopt -o filenames -o plusdirs
                    mapfile -t COMPREPLY < <(\(filters.joined(separator: "; ")))
                fi
            }
            complete -F _drilldown drilldown

            """
    }

    /// Returns the cases that complete the values of a command's options.
    private static func valueCases(of command: CommandLineArguments.Command) -> [String] {
        let options = Option.all(of: command)
        func pattern(_ options: [Option]) -> String {
            options.map { "\(command.rawValue):--\($0.name)" }.joined(separator: " | ")
        }
        var cases = options.compactMap { option in
            if case .choices(let choices) = option.completion {
                "\(pattern([option]))) words='\(choices.joined(separator: " "))' ;;"
            } else {
                nil as String?
            }
        }
        let files = options.filter { $0.completion == .file }
        if !files.isEmpty { cases.append("\(pattern(files))) compopt -o default; return ;;") }
        let folders = options.filter { $0.completion == .folder }
        if !folders.isEmpty { cases.append("\(pattern(folders))) compopt -o dirnames; return ;;") }
        let texts = options.filter { $0.completion == .text }
        if !texts.isEmpty { cases.append("\(pattern(texts))) return ;;") }
        return cases
    }

    private static func optionCase(of command: CommandLineArguments.Command) -> String {
        let names = Option.all(of: command).map(\.name) + common.map(\.name)
        return "\(command.rawValue)) words='\(names.map { "--\($0)" }.joined(separator: " "))' ;;"
    }

    /// The script for zsh: the content of a file `_drilldown` in a folder of `$fpath`.
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
            return "'(- *)'\(names)\(ShellWord.quoted("[\(escaped(option.help, special: "[]"))]"))"
        }
    }

    /// Returns the case of a command: the specifications of its options and other arguments for `_arguments`.
    private static func arguments(of command: CommandLineArguments.Command) -> String {
        var specifications = commonSpecifications + Option.all(of: command).map(specification)
        switch command {
        case .serve: specifications.append("'1:document:_drilldown_document'")
        case .check: specifications.append("'*:document:_drilldown_document'")
        case .import, .export: specifications += ["'1:document:_drilldown_document'", "'2:target:_files'"]
        case .completions:
            specifications.append("'1:shell:(\(Shell.words))'")
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
        let explanation = "[\(escaped(option.help, special: "[]"))]"
        guard let placeholder = option.placeholder else { return ShellWord.quoted("--\(option.name)\(explanation)") }
        let action =
            switch option.completion {
            case .choices(let choices): "(\(choices.joined(separator: " ")))"
            case .file: "_files"
            case .folder: "_files -/"
            case .none, .text: " "
            }
        return ShellWord.quoted("--\(option.name)=\(explanation):\(escaped(placeholder, special: ":")):\(action)")
    }

    private static func escaped(_ text: String, special: String) -> String {
        text.reduce(into: "") { $0 += special.contains($1) ? "\\\($1)" : "\($1)" }
    }

    /// The script for fish: the content of a file `drilldown.fish` in a folder of completions.
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
        let options = Option.ofAllCommands.map { option in
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
            complete -c drilldown -n '__fish_seen_subcommand_from serve check import export' -a '(__drilldown_documents)'
            complete -c drilldown -n '__fish_seen_subcommand_from completions' -a '\
            \(Shell.words)'

            """
    }

    private static func parameter(of option: Option) -> String {
        switch option.completion {
        case .none: ""
        case .choices(let choices): " -x -a '\(choices.joined(separator: " "))'"
        case .file: " -r -F"
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .text: " -x"
        }
    }
}
