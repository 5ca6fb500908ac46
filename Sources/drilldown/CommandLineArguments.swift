import Levels

/// A command line taken apart.
struct CommandLineArguments {
    enum Command: String, CaseIterable { case serve, check }

    var command: Command?
    var wantsHelp = false
    var wantsVersion = false
    var sources: [String] = []
    /// Values by the option's key.
    var values: [String: String] = [:]

    /// - Throws: `UsageError` for an unknown command or option, with the nearest one there is.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        if let first = rest.first, !first.hasPrefix("-") {
            command = try Self.command(first)
            rest.removeFirst()
        }
        var takesOptions = true
        while let argument = rest.popFirst() {
            switch argument {
            case "--" where takesOptions: takesOptions = false
            case "--help" where takesOptions, "-h" where takesOptions: wantsHelp = true
            case "--version" where takesOptions && command == nil: wantsVersion = true
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
        let near =
            EditDistance.nearest(to: word, among: Command.allCases.map(\.rawValue)).map { " Did you mean '\($0)'?" }
            ?? ""
        throw UsageError(description: "there is no command '\(word)'; there are serve and check.\(near)")
    }

    private mutating func takeOption(_ argument: String, rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0].hasPrefix("--") ? String(parts[0].dropFirst(2)) : parts[0]
        let known = Option.all.filter { command != .check || $0.isOfCheck }
        guard let option = known.first(where: { $0.name == name }) else {
            let near = EditDistance.nearest(to: name, among: known.map(\.name)).map { "Did you mean '--\($0)'?" }
            throw UsageError(
                description: "there is no option '\(parts[0])'. \(near ?? "--help lists those there are.")")
        }
        guard values[option.key] == nil else { throw UsageError(description: "the option '--\(name)' stands twice.") }
        if parts.count == 2 {
            values[option.key] = parts[1]
        } else if option.placeholder == nil {
            values[option.key] = "true"
        } else if let value = rest.popFirst() {
            values[option.key] = value
        } else {
            throw UsageError(
                description: "the option '--\(name)' needs a value: --\(name) \(option.placeholder ?? "").")
        }
    }
}
