import DrilldownClient
import Foundation

/// The command line of the program: options, and the URL to begin with.
struct BrowseArguments: Equatable {
    var url = ""
    var tokenFile: String?
    var cacheFolder: String?
    /// Whether to print lines even if a terminal is available.
    var printsLines = false
    /// Whether to print changes too, until the program is ended.
    var follows = false
    var wantsHelp = false
    var wantsVersion = false

    /// The text for `--version`. The program has the version of the service, because both are in the same package.
    static let version = "drilldown-browse 0.1.0\n"

    static let help = """
        usage: drilldown-browse [--token-file FILE] [--cache-folder FOLDER] [--lines] [--follow] URL

        Shows the levels of a drilldown server in the terminal, and each change as it comes. URL is the
        server's address, or that of one of its levels or details; http:// may be left out. Without a
        terminal, it prints the level as lines: title, number of rows below, and URL, with tabs between
        them; or the fields of a leaf.

          --token-file FILE       file with the token that the server asks for
          --lines                 prints lines, as it does without a terminal
          --follow                goes on printing the changes; implies --lines
          --cache-folder FOLDER   keeps levels there, to show them while the server is away

        \(keys)

        Exit status: 0 fine, 1 the server cannot be reached or refuses, 2 wrong usage.

        """

    /// The list of keys, for the help text and for the screen.
    static let keys = """
        Keys:
          up, down          move to another row
          Page Up, Page Down, Home, End   move further
          Enter, right      open the row
          left, Escape      go back
          space             show the row's fields
          /                 search below the level
          r                 read again
          ?                 show these keys
          q                 leave
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
            case "--token-file": tokenFile = try Self.value(of: parts, rest: &rest)
            case "--cache-folder": cacheFolder = try Self.value(of: parts, rest: &rest)
            default: throw Failure("'\(DisplayText(word))' is not an option; --help lists them.", status: 2)
            }
        }
        guard !wantsHelp, !wantsVersion else { return }
        guard let first = urls.first, urls.count == 1 else {
            throw Failure(
                "One URL is needed, such as http://127.0.0.1:8080, but there are \(urls.count).", status: 2)
        }
        url = first
    }

    private static func value(of parts: [String], rest: inout ArraySlice<String>) throws(Failure) -> String {
        if parts.count > 1 { return parts[1] }
        guard let value = rest.popFirst() else {
            throw Failure("The option '\(parts[0])' needs a value.", status: 2)
        }
        return value
    }
}

/// The URL that the program is called with: a server, and a place in its document.
struct StartAddress: Equatable {
    /// The address of the server, without a slash at its end.
    let server: String
    let place: Place

    /// - Parameter address: the URL of a server, a level, a detail, or a page of the web client.
    /// - Throws: `Failure` if the address is something else.
    init(_ address: String) throws(Failure) {
        // HOST:PORT without a scheme means http.
        let url = address.contains("://") ? address : "http://" + address
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false
        else {
            throw Failure(
                "'\(DisplayText(address))' is not the URL of a server; write it as http://127.0.0.1:8080.",
                status: 2)
        }
        // A fragment names a place within a page of the web client.
        guard parts.percentEncodedQuery == nil else {
            throw Failure(
                "'\(DisplayText(url))' has a query, which cannot be browsed; leave out all from '?' on.", status: 2)
        }
        let path = parts.percentEncodedPath
        if let (start, kind) = Self.route(in: path), let item = ItemPath(href: String(path[start...])) {
            server = Self.address(parts, path: path[..<start])
            place = Place(kind, at: item)
            return
        }
        server = Self.address(parts, path: path[...])
        place = Place(.level, at: .root)
    }

    private static let routes = ["levels": Place.Kind.level, "detail": .detail, "browse": .level]

    /// The start of the first route in a path, and its kind. The server's own path precedes the route, and the keys of
    /// items follow the route.
    private static func route(in path: String) -> (start: String.Index, kind: Place.Kind)? {
        for segment in path.split(separator: "/") {
            guard let kind = routes[String(segment)] else { continue }
            return (path.index(before: segment.startIndex), kind)
        }
        return nil
    }

    private static func address(_ parts: URLComponents, path: Substring) -> String {
        var base = parts
        base.fragment = nil
        base.percentEncodedPath = String(path)
        var text = base.string ?? ""
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }
}
