/// An option of `serve`, on the command line, in the environment and in the configuration file; or one of `browse`.
struct Option: Sendable {
    /// Without the leading hyphens.
    let name: String
    /// The key in the configuration file.
    let key: String
    let placeholder: String?
    let standard: String?
    let help: String
    /// Whether `check` takes it too.
    var isOfCheck = false
    /// Whether it may be given several times; each value is a line of the setting.
    var mayRepeat = false

    /// `DRILLDOWN_` and the key in upper snake case.
    var variable: String {
        key.reduce("DRILLDOWN") { $0 + ($1.isUppercase ? "_" : "") + $1.uppercased() }
    }

    /// The options of a command, in the order of the help text; those of `serve` if there is no command.
    static func all(of command: CommandLineArguments.Command?) -> [Option] {
        switch command {
        case nil, .serve: all
        case .check: all.filter(\.isOfCheck)
        case .browse: ofBrowse
        case .completions, .manual: []
        }
    }

    /// All options of `serve`, in the order of the help text.
    static let all: [Option] = [
        Option(
            name: "listen", key: "Listen", placeholder: "HOST:PORT", standard: "127.0.0.1:8080",
            help: "where to listen, or unix:PATH; may be repeated", mayRepeat: true),
        Option(
            name: "metrics-listen", key: "MetricsListen", placeholder: "HOST:PORT", standard: nil,
            help: "an address of their own for metrics and probes"),
        Option(
            name: "trusted-proxies", key: "TrustedProxies", placeholder: "ADDRESS,…", standard: nil,
            help: "proxies and networks whose word on the client counts"),
        Option(
            name: "drain", key: "Drain", placeholder: "SECONDS", standard: "0",
            help: "how long to serve on after SIGTERM, while /readyz is 503"),
        Option(
            name: "tls-certificate", key: "TlsCertificate", placeholder: "FILE", standard: nil,
            help: "certificates in PEM form, the server's first; turns HTTPS on"),
        Option(
            name: "tls-key", key: "TlsKey", placeholder: "FILE", standard: nil,
            help: "the private key of the certificate, in PEM form"),
        Option(
            name: "config", key: "Config", placeholder: "FILE", standard: nil,
            help: "a property list with these options as keys", isOfCheck: true),
        Option(
            name: "keys", key: "Keys", placeholder: "ROLE=NAME|NAME,…", standard: nil,
            help: "the names that the document uses for titles and rows", isOfCheck: true),
        Option(
            name: "shape", key: "Shape", placeholder: "items|any", standard: "items",
            help: "'any' serves any property list", isOfCheck: true),
        Option(
            name: "values", key: "Values", placeholder: "FILE", standard: nil,
            help: "file with the values of a settings page's controls"),
        Option(
            name: "log-format", key: "LogFormat", placeholder: "text|json", standard: "text",
            help: "the format of log lines"),
        Option(
            name: "access-log", key: "AccessLog", placeholder: nil, standard: "false",
            help: "logs each request"),
        Option(
            name: "threads", key: "Threads", placeholder: "N", standard: "0",
            help: "worker threads; 0 means one per core"),
        Option(
            name: "connections", key: "Connections", placeholder: "N", standard: "16384",
            help: "maximum number of open connections"),
        Option(
            name: "connections-per-address", key: "ConnectionsPerAddress", placeholder: "N", standard: "0",
            help: "maximum per client address; 0 means no limit"),
        Option(
            name: "idle-timeout", key: "IdleTimeout", placeholder: "SECONDS", standard: "30",
            help: "how long an idle connection is kept"),
        Option(
            name: "request-deadline", key: "RequestDeadline", placeholder: "SECONDS", standard: "30",
            help: "how long a request may take, and its client take nothing"),
        Option(
            name: "cache-bytes", key: "CacheBytes", placeholder: "BYTES", standard: "33554432",
            help: "memory for cached responses"),
        Option(
            name: "response-bytes", key: "ResponseBytes", placeholder: "BYTES", standard: "134217728",
            help: "memory for the bodies of the answers on their way"),
        Option(
            name: "search-bytes", key: "SearchBytes", placeholder: "BYTES", standard: "134217728",
            help: "memory for the titles that searches look through"),
        Option(
            name: "waiters", key: "Waiters", placeholder: "N", standard: "10000",
            help: "maximum number of open long polls and streams"),
        Option(
            name: "history-bytes", key: "HistoryBytes", placeholder: "BYTES", standard: "67108864",
            help: "memory for earlier trees and their changes"),
        Option(
            name: "max-items", key: "MaxItems", placeholder: "N", standard: "20000000",
            help: "maximum number of items in a document", isOfCheck: true),
        Option(
            name: "max-document-bytes", key: "MaxDocumentBytes", placeholder: "BYTES", standard: "2147483648",
            help: "maximum size of a document", isOfCheck: true),
        Option(
            name: "max-memory", key: "MaxMemory", placeholder: "BYTES", standard: nil,
            help: "memory the service may use; else what the system lets it have"),
        Option(
            name: "read-token-file", key: "ReadTokenFile", placeholder: "FILE", standard: nil,
            help: "file of the tokens without which nobody may read"),
        Option(
            name: "edit-token-file", key: "EditTokenFile", placeholder: "FILE", standard: nil,
            help: "edit tokens, one per line; turns editing on"),
        Option(
            name: "max-body-bytes", key: "MaxBodyBytes", placeholder: "BYTES", standard: "1048576",
            help: "maximum size of the body of an edit"),
        Option(
            name: "poll-interval", key: "PollInterval", placeholder: "SECONDS", standard: "2",
            help: "how often to check the file if no events arrive"),
        Option(
            name: "refresh", key: "Refresh", placeholder: "SECONDS", standard: "60",
            help: "how often to request a URL that cannot be followed"),
        Option(
            name: "fetch-timeout", key: "FetchTimeout", placeholder: "SECONDS", standard: "30",
            help: "how long the server of a URL may be silent", isOfCheck: true),
        Option(
            name: "cache", key: "Cache", placeholder: "FILE", standard: nil,
            help: "file that keeps the document of a URL for the next start"),
        Option(
            name: "cache-control", key: "CacheControl", placeholder: "TEXT", standard: "no-cache",
            help: "the Cache-Control header field of responses"),
        Option(
            name: "hosts", key: "Hosts", placeholder: "NAME,…|*", standard: nil,
            help: "further host names to answer to; * turns the check off"),
        Option(
            name: "cors-origins", key: "CorsOrigins", placeholder: "ORIGIN,…|*", standard: nil,
            help: "other origins whose web pages may read, and if listed edit"),
        Option(
            name: "no-web-client", key: "NoWebClient", placeholder: nil, standard: "false",
            help: "leaves out the web client"),
    ]

    /// The options of `browse`, which are on the command line only.
    static let ofBrowse: [Option] = [
        Option(
            name: "token-file", key: "TokenFile", placeholder: "FILE", standard: nil,
            help: "file with the token that the server asks for"),
        Option(
            name: "lines", key: "Lines", placeholder: nil, standard: "false",
            help: "prints lines, as it does without a terminal"),
        Option(
            name: "follow", key: "Follow", placeholder: nil, standard: "false",
            help: "goes on printing the changes; implies --lines"),
        Option(
            name: "cache-folder", key: "CacheFolder", placeholder: "FOLDER", standard: nil,
            help: "keeps levels there, to show them while the server is away"),
    ]

    /// The name of the source in the environment and the configuration file.
    static let source = Option(name: "SOURCE", key: "Source", placeholder: nil, standard: nil, help: "the document")
}

extension Option {
    /// The kind of an option's value.
    enum Value: Equatable {
        /// The option is a flag.
        case none
        case choices([String])
        case file
        case folder
        /// Anything else.
        case text
    }

    /// The kind of value that the placeholder describes: `text|json` lists choices, `FILE` is a file.
    var value: Value {
        guard let placeholder else { return .none }
        if placeholder == "FILE" { return .file }
        if placeholder == "FOLDER" { return .folder }
        let choices = placeholder.split(separator: "|", omittingEmptySubsequences: false)
        let areWords = choices.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isLowercase) }
        return areWords ? .choices(choices.map(String.init)) : .text
    }
}
