/// The command line of the program: options, and the URL to begin with.
struct BrowseArguments: Equatable {
    var url = ""
    var tokenFile: String?
    var cacheFolder: String?
    /// Whether lines are printed even if there is a terminal.
    var printsLines = false
    /// Whether changes are printed too, until the program is ended.
    var follows = false
    var wantsHelp = false
    var wantsVersion = false

    /// A command line that cannot be understood, in a sentence.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// That of the service, which belongs to the same package.
    static let version = "drilldown-browse 0.1.0\n"

    static let help = """
        usage: drilldown-browse [--token-file FILE] [--cache-folder FOLDER] [--lines] [--follow] URL

        Shows the levels of a drilldown server in a terminal. 'drilldown browse --help' explains it.

        """

    init(_ words: [String]) throws(Failure) {
        var rest = words[...]
        var urls: [String] = []
        var takesOptions = true
        while let word = rest.popFirst() {
            guard takesOptions, word.hasPrefix("-"), word != "-" else {
                urls.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts[0] {
            case "--": takesOptions = false
            case "--lines": printsLines = true
            case "--follow": follows = true
            case "--help", "-h": wantsHelp = true
            case "--version": wantsVersion = true
            case "--token-file": tokenFile = try Self.value(of: parts, &rest)
            case "--cache-folder": cacheFolder = try Self.value(of: parts, &rest)
            default: throw Failure(description: "'\(DisplayText(word))' is not an option; --help lists them.")
            }
        }
        guard !wantsHelp, !wantsVersion else { return }
        guard let first = urls.first, urls.count == 1 else {
            throw Failure(description: "One URL is needed, such as http://127.0.0.1:8080, but there are \(urls.count).")
        }
        url = first
    }

    private static func value(of parts: [String], _ rest: inout ArraySlice<String>) throws(Failure) -> String {
        if parts.count > 1 { return parts[1] }
        guard let value = rest.popFirst() else {
            throw Failure(description: "The option '\(parts[0])' needs a value.")
        }
        return value
    }
}
