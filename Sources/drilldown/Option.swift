/// An option of `serve`: on the command line, in the environment and in the configuration file.
struct Option: Sendable {
    /// Without the leading hyphens.
    let name: String
    /// In the configuration file.
    let key: String
    let placeholder: String?
    let standard: String?
    let help: String
    /// Whether `check` takes it too.
    var isOfCheck = false

    /// `DRILLDOWN_` and the key in upper snake case.
    var variable: String {
        key.reduce("DRILLDOWN") { $0 + ($1.isUppercase ? "_" : "") + $1.uppercased() }
    }

    /// The options of a command, in the order of the help text; all of them if there is no command.
    static func all(of command: CommandLineArguments.Command?) -> [Option] {
        command == .check ? all.filter(\.isOfCheck) : all
    }

    /// All options, in the order of the help text.
    static let all: [Option] = [
        Option(
            name: "listen", key: "Listen", placeholder: "HOST:PORT", standard: "127.0.0.1:8080",
            help: "where to listen; port 0 takes a free one"),
        Option(
            name: "config", key: "Config", placeholder: "FILE", standard: nil,
            help: "a property list with these options as keys", isOfCheck: true),
        Option(
            name: "keys", key: "Keys", placeholder: "ROLE=NAME|NAME,…", standard: nil,
            help: "what the document calls its titles and rows", isOfCheck: true),
        Option(
            name: "shape", key: "Shape", placeholder: "items|any", standard: "items",
            help: "'any' serves any property list", isOfCheck: true),
        Option(
            name: "log-format", key: "LogFormat", placeholder: "text|json", standard: "text",
            help: "how a line of the log is written"),
        Option(
            name: "access-log", key: "AccessLog", placeholder: nil, standard: "false",
            help: "a line of the log for each request"),
        Option(
            name: "threads", key: "Threads", placeholder: "N", standard: "0",
            help: "threads that answer; 0 takes one for each core"),
        Option(
            name: "connections", key: "Connections", placeholder: "N", standard: "16384", help: "connections at once"),
        Option(
            name: "connections-per-address", key: "ConnectionsPerAddress", placeholder: "N", standard: "0",
            help: "connections at once from one address; 0 sets no limit"),
        Option(
            name: "idle-timeout", key: "IdleTimeout", placeholder: "SECONDS", standard: "30",
            help: "how long an idle connection is kept"),
        Option(
            name: "request-deadline", key: "RequestDeadline", placeholder: "SECONDS", standard: "30",
            help: "how long a request may take to come in or be read"),
        Option(
            name: "cache-bytes", key: "CacheBytes", placeholder: "BYTES", standard: "33554432",
            help: "memory for rendered answers"),
        Option(
            name: "waiters", key: "Waiters", placeholder: "N", standard: "10000",
            help: "long polls and streams at once"),
        Option(
            name: "history-bytes", key: "HistoryBytes", placeholder: "BYTES", standard: "67108864",
            help: "memory for earlier trees and changes"),
        Option(
            name: "max-items", key: "MaxItems", placeholder: "N", standard: "20000000",
            help: "items that a document may hold", isOfCheck: true),
        Option(
            name: "max-document-bytes", key: "MaxDocumentBytes", placeholder: "BYTES", standard: "2147483648",
            help: "size that a document may have", isOfCheck: true),
        Option(
            name: "poll-interval", key: "PollInterval", placeholder: "SECONDS", standard: "2",
            help: "how often the file is looked at where no events come"),
        Option(
            name: "refresh", key: "Refresh", placeholder: "SECONDS", standard: "60",
            help: "how often a URL is asked, if it cannot be followed"),
        Option(
            name: "fetch-timeout", key: "FetchTimeout", placeholder: "SECONDS", standard: "30",
            help: "how long the server of a URL may say nothing", isOfCheck: true),
        Option(
            name: "cache", key: "Cache", placeholder: "FILE", standard: nil,
            help: "where the document of a URL is kept for the next start"),
        Option(
            name: "cache-control", key: "CacheControl", placeholder: "TEXT", standard: "no-cache",
            help: "the header field Cache-Control of answers"),
        Option(
            name: "cors-origins", key: "CorsOrigins", placeholder: "ORIGIN,…|*", standard: nil,
            help: "other origins whose web pages may read the answers"),
    ]

    /// The name under which the source stands in the environment and the configuration file.
    static let source = Option(name: "SOURCE", key: "Source", placeholder: nil, standard: nil, help: "the document")
}
