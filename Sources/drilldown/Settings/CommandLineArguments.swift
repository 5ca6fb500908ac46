import Bytes
import PropertyLists
import TreeSources

/// A parsed command line.
struct CommandLineArguments {
    var command: Command?
    var wantsHelp = false
    var wantsVersion = false
    var sources: [String] = []
    /// The values, by the keys of their options. The values of a repeated option are the lines of one text.
    var values: [String: String] = [:]

    /// - Parameter program: the name by which the program was called, for suggested command lines to paste.
    /// - Throws: `UsageError` for an unknown command or option. The error suggests the command line that was probably
    ///   intended.
    init(arguments: [String], program: String = "drilldown") throws(UsageError) {
        do {
            self = try Self.parsed(arguments)
        } catch {
            guard !Self.mayHoldToken(arguments), let meant = SuggestedCommand.meant(by: arguments),
                let parsed = Self.parsedOrNil(meant)
            else { throw error }
            if parsed.command == .serve, parsed.sources.count > 1 { throw .severalDocuments(parsed.sources) }
            throw UsageError(
                fact: error.fact, hint: "Did you mean: \(SuggestedCommand.shellText(of: meant, program: program))")
        }
    }

    private init() {}

    /// Returns whether an unknown option seems to give a token. A token must not be shown.
    private static func mayHoldToken(_ arguments: [String]) -> Bool {
        arguments.contains { argument in
            let name = argument.prefix { $0 != "=" }
            let isKnown = Option.ofAllCommands.contains { "--\($0.name)" == name }
            return name.hasPrefix("-") && name.lowercased().contains("token") && !isKnown
        }
    }

    private static func parsedOrNil(_ arguments: [String]) -> CommandLineArguments? {
        do { return try parsed(arguments) } catch { return nil }
    }

    private static func parsed(_ arguments: [String]) throws(UsageError) -> CommandLineArguments {
        var parsed = CommandLineArguments()
        try parsed.take(arguments)
        guard parsed.command != nil || parsed.wantsHelp || parsed.wantsVersion else {
            throw UsageError(
                fact: "no command is given; 'serve Data.plist' serves a document.", hint: "'--help' lists the commands."
            )
        }
        return parsed
    }

    private mutating func take(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        switch rest.first {
        case "help":
            wantsHelp = true
            rest.removeFirst()
            guard !rest.isEmpty else { return }
        case "version" where rest.count == 1:
            wantsVersion = true
            return
        default: break
        }
        if let first = rest.first, !first.hasPrefix("-") || first == "-" {
            command = try Self.command(first)
            rest.removeFirst()
        }
        var takesOptions = true
        while let argument = rest.popFirst() {
            switch argument {
            case "--" where takesOptions: takesOptions = false
            case "--help" where takesOptions, "-h" where takesOptions: wantsHelp = true
            case "--version" where takesOptions: wantsVersion = true
            default:
                if takesOptions, argument.hasPrefix("-"), argument != "-" {
                    try takeOption(argument, rest: &rest)
                } else {
                    sources.append(argument)
                }
            }
        }
    }

    private static func command(_ word: String) throws(UsageError) -> Command {
        if let command = Command(rawValue: word) { return command }
        throw UsageError(
            fact: "'\(quoted: RemoteAddress.shown(word))' is not a command; the commands are \(Command.list).")
    }

    private mutating func takeOption(_ argument: String, rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let option = try Self.option(parts[0], of: command)
        let earlier = values[option.key].map { $0 + "\n" } ?? ""
        guard earlier.isEmpty || option.mayRepeat else {
            throw UsageError(fact: "the option '--\(option.name)' appears more than once.")
        }
        if parts.count == 2 {
            values[option.key] = earlier + parts[1]
        } else if option.placeholder == nil {
            values[option.key] = "true"
        } else if let value = rest.popFirst() {
            values[option.key] = earlier + value
        } else {
            throw UsageError(
                fact: "the option '--\(option.name)' needs a value: --\(option.name) \(option.placeholder ?? "").")
        }
    }

    private static func option(_ word: String, of command: Command?) throws(UsageError) -> Option {
        let known = Option.all(of: command)
        if let option = known.first(where: { "--\($0.name)" == word }) { return option }
        if let command, Option.all.contains(where: { "--\($0.name)" == word }) {
            guard !known.isEmpty else {
                throw UsageError(fact: "'\(word)' is an option of serve; \(command) has no options.")
            }
            throw UsageError(
                fact:
                    "'\(word)' is an option of serve, not of \(command); '\(command) --help' lists the options of \(command)."
            )
        }
        if mayHoldToken([word]) {
            let kind = word.lowercased().contains("read") ? "read" : "edit"
            let option = command == .browse ? "--token-file" : "--\(kind)-token-file"
            throw UsageError(
                fact: "'\(quoted: word)' is not an option.",
                hint: "Other users can see a command line: put tokens into a file, and name it with '\(option)'.")
        }
        let near = Option.names(like: String(word.drop { $0 == "-" }), among: known.map(\.name)).map { "'--\($0)'" }
        let choice =
            near.count < 2 ? near.joined() : "\(near.dropLast().joined(separator: ", ")) or \(near[near.count - 1])"
        throw UsageError(
            fact: "'\(quoted: word)' is not an option.",
            hint: near.isEmpty ? "'--help' lists the options." : "Did you mean \(choice)?")
    }
}

extension CommandLineArguments {
    /// The commands, in the order of the help text. A command is the first word of a command line.
    enum Command: String, CaseIterable {
        case serve, check, `import`, export, browse, completions, manual

        /// The command with its arguments.
        var synopsis: String {
            switch self {
            case .serve: "serve [SOURCE] [OPTION…]"
            case .check: "check SOURCE… [OPTION…]"
            case .import: "import SOURCE TARGET [OPTION…]"
            case .export: "export SOURCE [FILE] [OPTION…]"
            case .browse: "browse URL [OPTION…]"
            case .completions: "completions SHELL"
            case .manual: "manual"
            }
        }

        /// The purpose of the command, in a few words.
        var summary: String {
            switch self {
            case .serve: "serves a document"
            case .check: "lists the errors and warnings of documents"
            case .import: "puts a document into a database"
            case .export: "writes a document to a file"
            case .browse: "shows a server's levels in a terminal"
            case .completions: "prints the completions of \(Shell.list)"
            case .manual: "prints the manual page"
            }
        }

        /// The names of all commands, for a sentence.
        static let list =
            "\(allCases.dropLast().map(\.rawValue).joined(separator: ", ")) and \(allCases[allCases.count - 1])"
    }
}

/// A shell for which there are completions.
enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// The names of all shells, for a script.
    static let words = allCases.map(\.rawValue).joined(separator: " ")

    /// The names of all shells, for a sentence.
    static let list =
        "\(allCases.dropLast().map(\.rawValue).joined(separator: ", ")) or \(allCases[allCases.count - 1])"
}

/// An error in the command line, a variable or the configuration. The exit status is then 2.
struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The error, as a whole sentence.
    let fact: String
    /// The remedy, as a whole sentence; nil if `fact` includes the remedy.
    let hint: String?

    init(fact: String, hint: String? = nil) {
        self.fact = fact
        self.hint = hint
    }

    var description: String { hint.map { "\(fact) \($0)" } ?? fact }
}

extension UsageError {
    /// The error for several documents where one is served.
    static func severalDocuments(_ sources: [String]) -> UsageError {
        let names = sources.map(RemoteAddress.shown).joined(separator: ", ")
        return UsageError(
            fact: "serve takes one document, not \(sources.count): \(names).",
            hint:
                "To serve several under one root, name each by 'Source' in an item of one document: see Mounts in the manual."
        )
    }
}
