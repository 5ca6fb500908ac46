extension Completions {
    /// Uses only what bash itself has, so that it works without the package bash-completion.
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
                        completions:completions) words='\(Shell.allCases.map(\.rawValue).joined(separator: " "))' ;;
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

    /// The cases that complete the values of a command's options.
    private static func valueCases(of command: CommandLineArguments.Command) -> [String] {
        let options = Option.all(of: command)
        func pattern(_ options: [Option]) -> String {
            options.map { "\(command.rawValue):--\($0.name)" }.joined(separator: " | ")
        }
        var cases = options.compactMap { option in
            if case .choices(let choices) = option.value {
                "\(pattern([option]))) words='\(choices.joined(separator: " "))' ;;"
            } else {
                nil as String?
            }
        }
        let files = options.filter { $0.value == .file }
        if !files.isEmpty { cases.append("\(pattern(files))) compopt -o default; return ;;") }
        let folders = options.filter { $0.value == .folder }
        if !folders.isEmpty { cases.append("\(pattern(folders))) compopt -o dirnames; return ;;") }
        let texts = options.filter { $0.value == .text }
        if !texts.isEmpty { cases.append("\(pattern(texts))) return ;;") }
        return cases
    }

    private static func optionCase(of command: CommandLineArguments.Command) -> String {
        let names = Option.all(of: command).map(\.name) + common.map(\.name)
        return "\(command.rawValue)) words='\(names.map { "--\($0)" }.joined(separator: " "))' ;;"
    }
}
