import Bytes
import Glibc
import Levels
import PropertyLists
import TreeSources

/// A suggestion for the command line that was probably intended.
struct SuggestedCommand {
    private var words: [String]

    /// Returns the arguments that were probably intended; nil without a suggestion.
    static func meant(by arguments: [String]) -> [String]? {
        if let informing = information(arguments) { return informing }
        var suggestion = SuggestedCommand(words: arguments)
        suggestion.mendCommand()
        guard suggestion.mendAddress() else { return nil }
        suggestion.mendOptions()
        return suggestion.words == arguments ? nil : suggestion.words
    }

    /// Returns a command line to paste into a shell, without the user name and password of a URL.
    static func shellText(of arguments: [String], program: String) -> String {
        ([program] + arguments.map(RemoteAddress.shown)).map(ShellWord.quoted).joined(separator: " ")
    }

    /// Returns the arguments for the help or the version, if the given arguments ask for it in the form of other
    /// programs. Otherwise returns nil.
    private static func information(_ arguments: [String]) -> [String]? {
        guard let first = arguments.first else { return nil }
        let command = arguments.first { CommandLineArguments.Command(rawValue: $0) != nil }
        if first == "help" || arguments.contains(where: ["-help", "-?"].contains) {
            return (command.map { [$0] } ?? []) + ["--help"]
        }
        if ["version", "-v"].contains(first) || arguments.contains(where: ["-V", "-version"].contains) {
            return ["--version"]
        }
        return nil
    }

    // MARK: The command

    private mutating func mendCommand() {
        guard let first = words.first, CommandLineArguments.Command(rawValue: first) == nil else { return }
        let commands = CommandLineArguments.Command.allCases.map(\.rawValue)
        if !first.hasPrefix("-"), !Self.isDocument(first), let near = EditDistance.nearest(to: first, among: commands) {
            words[0] = near
        } else if words.contains("-") {
            words.insert("check", at: 0)
        } else if first.hasPrefix("-") || Self.isDocument(first) {
            words.insert("serve", at: 0)
        }
    }

    /// Returns whether a word looks like a path or a URL, names an existing file, or is `-`.
    private static func isDocument(_ word: String) -> Bool {
        unsafe access(word, F_OK) == 0 || word == "-" || word.contains(".") || word.contains("/")
    }

    // MARK: Options

    /// The part of an address that an option of other programs sets. The option `--listen` of drilldown sets both
    /// parts.
    private enum AddressPart { case host, port }

    private static let addressWords: [(name: String, part: AddressPart)] = [
        ("port", .port), ("host", .host), ("bind", .host), ("address", .host),
    ]

    /// The index after the last word that can be an option.
    private var optionsEnd: Int { words.firstIndex(of: "--") ?? words.endIndex }

    private static func parts(of word: String) -> (name: String, value: String?) {
        guard let sign = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<sign]), String(word[word.index(after: sign)...]))
    }

    /// Returns the part that a word such as `--port` or `-p` sets. The word may have a typing error.
    ///
    /// - Returns: the part; nil for other words. Also nil if the word resembles a known option at least as much as it
    ///   resembles a name in `addressWords`.
    private static func addressPart(of word: String, besides known: [String]) -> AddressPart? {
        if word == "-p" { return .port }
        let bare = String(word.drop { $0 == "-" })
        guard word.hasPrefix("-"), bare.count > 2, !known.contains(bare) else { return nil }
        let near = EditDistance.nearest(to: bare, among: known + addressWords.map(\.name))
        return addressWords.first { $0.name == near }?.part
    }

    /// The names of the command's options and the common options.
    private var knownOptions: [String] {
        Option.all(of: words.first.flatMap(CommandLineArguments.Command.init)).map(\.name) + ["help", "version"]
    }

    /// Combines separate host and port options into one `--listen`.
    ///
    /// - Returns: false if the given host and port do not form an address.
    private mutating func mendAddress() -> Bool {
        var host: String?
        var port: String?
        var place: Int?
        var index = 0
        let known = knownOptions
        while index < optionsEnd {
            let (name, value) = Self.parts(of: words[index])
            guard let part = Self.addressPart(of: name, besides: known) else {
                index += 1
                continue
            }
            guard let value = value ?? (index + 1 < optionsEnd ? words.remove(at: index + 1) : nil) else {
                return false
            }
            words.remove(at: index)
            place = place ?? index
            if part == .port { port = value } else { host = value }
        }
        guard let place else { return true }
        guard let address = Self.address(host: host, port: port) else { return false }
        words.insert(contentsOf: ["--listen", address], at: place)
        return true
    }

    private static func address(host: String?, port: String?) -> String? {
        if let both = host ?? port, host == nil || port == nil, both.contains(":"), ListenAddress(both) != nil {
            return both
        }
        let host = host ?? "127.0.0.1"
        let text = (host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host) + ":" + (port ?? "8080")
        return ListenAddress(text) == nil ? nil : text
    }

    /// Replaces unknown options with the known options that resemble them most.
    private mutating func mendOptions() {
        let known = knownOptions
        for index in 0..<optionsEnd where words[index].hasPrefix("-") {
            let (name, value) = Self.parts(of: words[index])
            let bare = String(name.drop { $0 == "-" })
            guard bare.count > 1, !known.contains(where: { "--\($0)" == name }) else { continue }
            let near = Option.names(like: bare, among: known)
            // Between several options, the user chooses. What follows a word such as `--password` may be a secret, which
            // must not be shown.
            guard near.count == 1, !["token", "password"].contains(where: near[0].contains) else { continue }
            words[index] = "--\(near[0])" + (value.map { "=\($0)" } ?? "")
        }
    }
}

/// The quoting of arguments for a shell (POSIX, Shell Command Language, 2.2).
enum ShellWord {
    /// Returns the argument unchanged if the shell does not interpret it, otherwise in single quotes.
    static func quoted(_ argument: String) -> String {
        guard argument.isEmpty || !argument.unicodeScalars.allSatisfy(isPlain) else { return argument }
        return "'" + argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
            || "_@%+=:,./-".unicodeScalars.contains(scalar)
    }
}
