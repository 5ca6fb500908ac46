import Bytes
import DatabaseTables
import HTTPServer
import Levels
import LevelsAPI
import PropertyLists
import TreeSources

/// An option of `serve`, which can be given on the command line, in the environment and in the configuration file; or
/// an option of another command.
struct Option: Sendable {
    /// The name without the leading hyphens.
    let name: String
    let placeholder: String?
    let completion: OptionCompletion
    /// The default, as text. If it is nil, the property keeps its initial value when the given text is missing or
    /// empty.
    let standard: String?
    let help: String
    /// Whether `check`, `import` and `export` take the option, too.
    let isOfCheck: Bool
    /// Whether the option may appear several times. Each value is then a line of the setting.
    let mayRepeat: Bool
    /// The property of `Settings` that holds the value; nil if the value is not held by a property.
    let target: (any PartialKeyPath<Settings> & Sendable)?
    /// Reads a text into the target.
    let read: @Sendable (String, inout Settings) throws(WrongValue) -> Void

    init<Value>(
        name: String, type: OptionType<Value>, default standard: String? = nil, _ help: String,
        _ target: any WritableKeyPath<Settings, Value> & Sendable, isOfCheck: Bool = false, mayRepeat: Bool = false
    ) {
        (self.name, self.standard, self.help) = (name, standard, help)
        (self.isOfCheck, self.mayRepeat, self.target) = (isOfCheck, mayRepeat, target)
        (placeholder, completion) = (type.placeholder, type.completion)
        read = { text, settings throws(WrongValue) in settings[keyPath: target] = try type.read(text) }
    }

    /// Creates an option of `browse`, whose value is not held by a property of `Settings`.
    init<Value>(name: String, type: OptionType<Value>, default standard: String? = nil, _ help: String) {
        (self.name, self.standard, self.help) = (name, standard, help)
        (isOfCheck, mayRepeat, target) = (false, false, nil)
        (placeholder, completion) = (type.placeholder, type.completion)
        read = { _, _ in }
    }

    /// Returns whether the option sets a property.
    func sets(_ property: PartialKeyPath<Settings>) -> Bool { (target as PartialKeyPath<Settings>?) == property }

    /// The key in the configuration file: the name in upper camel case.
    var key: String { name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }

    /// The environment variable: `DRILLDOWN_` and the name in upper snake case.
    var variable: String { "DRILLDOWN_" + name.uppercased().replacing("-", with: "_") }

    /// Returns the options of a command, in the order of the help text; without a command, the options of `serve`.
    static func all(of command: CommandLineArguments.Command?) -> [Option] {
        switch command {
        case nil, .serve: all
        case .check: all.filter(\.isOfCheck)
        case .import: all.filter(\.isOfCheck) + ofImport
        case .export: all.filter(\.isOfCheck) + ofExport
        case .browse: ofBrowse
        case .completions, .manual: []
        }
    }

    /// The maximum number of options in a question about an unknown one.
    private static let mostLike = 4

    /// Returns the names that an unknown name was probably meant to be, without the leading hyphens: the nearest by its
    /// letters; otherwise those that contain it as their beginning or after a hyphen; otherwise the longest that it
    /// begins with. Returns nothing if these are more than a few.
    static func names(like word: String, among names: [String]) -> [String] {
        if let near = EditDistance.nearest(to: word, among: names) { return [near] }
        let word = word.lowercased()
        guard word.count > 2 else { return [] }
        let longer = names.filter { "-\($0)".contains("-\(word)") }
        guard longer.isEmpty else { return longer.count > mostLike ? [] : longer }
        return names.filter { word.hasPrefix("\($0)-") }.max { $0.count < $1.count }.map { [$0] } ?? []
    }

    /// All options of `serve`, in the order of the help text.
    static let all: [Option] = [
        Option(
            name: "listen", type: .listenTargets, default: "127.0.0.1:8080",
            "where to listen, or unix:PATH; may be repeated",
            \.listenTargets, mayRepeat: true),
        Option(
            name: "metrics-listen", type: .address, "separate address for metrics and probes", \.metricsTarget),
        Option(
            name: "trusted-proxies", type: .proxies, "proxies and networks that may name the client", \.server.proxies),
        Option(
            name: "drain", type: .seconds(0...3_600), default: "0",
            "how long to serve on after SIGTERM, while /readyz is 503",
            \.drain),
        Option(
            name: "tls-certificate", type: .file, "certificates in PEM form, the server's first; turns HTTPS on",
            \.certificate),
        Option(name: "tls-key", type: .file, "the private key of the certificate, in PEM form", \.certificateKey),
        Option(
            name: "config", type: .file, "a property list with these options as keys", \.configuration, isOfCheck: true),
        Option(
            name: "keys", type: .names, "the names that the document uses for titles and rows", \.interpretation.names,
            isOfCheck: true),
        Option(
            name: "shape", type: .choice(placeholder: "SHAPE"), default: "auto",
            "items; natural: as it is; auto: one of these; any; tables",
            \.interpretation.shape, isOfCheck: true),
        Option(
            name: "title-by", type: .field, "the field, or TABLE=COLUMN,…, that titles records; else chosen",
            \.titleField,
            isOfCheck: true),
        Option(
            name: "key-by", type: .field, "the field with the keys of a table's records; else chosen", \.keyField,
            isOfCheck: true),
        Option(
            name: "drill-by", type: .fields, "the fields of a table's records that become levels", \.drillFields,
            isOfCheck: true),
        Option(name: "values", type: .file, "file with the values of a settings page's controls", \.valuesPath),
        Option(name: "log-format", type: .choice(), default: "text", "the format of log lines", \.logFormat),
        Option(name: "access-log", type: .flag, default: "false", "logs each request", \.logsAccess),
        Option(
            name: "threads", type: .number(0...1_024), default: "0", "worker threads; 0 means one per core",
            \.server.threads),
        Option(
            name: "connections", type: .number(1...1_000_000), default: "16384", "maximum number of open connections",
            \.server.connectionLimit),
        Option(
            name: "connections-per-address", type: .number(0...1_000_000), default: "0",
            "maximum per client address; 0 means no limit", \.server.connectionLimitPerAddress),
        Option(
            name: "idle-timeout", type: .seconds(1...86_400), default: "30", "how long an idle connection is kept",
            \.server.idleTimeout),
        Option(
            name: "request-deadline", type: .seconds(1...86_400), default: "30",
            "maximum time of a request, or of a client that reads nothing", \.server.requestDeadline),
        Option(
            name: "cache-bytes", type: .bytes(), default: "33554432", "memory for cached responses", \.api.cacheBytes),
        Option(
            name: "response-bytes", type: OptionType<Int>.bytes(65_536...1 << 40).map(ResponseBudget.init(bytes:)),
            default: "134217728", "memory for response bodies that are being sent", \.api.responseBudget),
        Option(
            name: "search-bytes", type: .bytes(), default: "134217728",
            "memory for the titles that searches look through",
            \.api.searchBytes),
        Option(
            name: "waiters", type: .number(0...1_000_000), default: "10000",
            "maximum number of open long polls and streams",
            \.api.waiters),
        Option(
            name: "history-bytes", type: .bytes(), default: "67108864", "memory for earlier trees and their changes",
            \.historyBytes
        ),
        Option(
            name: "max-items", type: .number(1...4_000_000_000), default: "20000000",
            "maximum number of items in a document",
            \.interpretation.treeLimits.items, isOfCheck: true),
        Option(
            name: "max-document-bytes", type: .bytes(1...1 << 50), default: "2147483648", "maximum size of a document",
            \.interpretation.maximumBytes, isOfCheck: true),
        Option(
            name: "max-memory", type: OptionType<Int>.bytes(64 << 20...1 << 50).map(Optional.some),
            "memory the service may use; by default, the system's limit", \.memoryLimit),
        Option(name: "read-token-file", type: .file, "tokens required for reading, one per line", \.readTokenFile),
        Option(name: "edit-token-file", type: .file, "edit tokens, one per line; turns editing on", \.editTokenFile),
        Option(
            name: "max-body-bytes", type: .bytes(1...1 << 30), default: "1048576",
            "maximum size of the body of an edit",
            \.server.bodyLimit),
        Option(
            name: "poll-interval", type: .seconds(1...86_400), default: "2",
            "how often to check the file if no events arrive",
            \.pollInterval),
        Option(
            name: "refresh", type: .seconds(1...86_400), default: "60",
            "how often to request a URL that cannot be followed",
            \.refreshInterval),
        Option(
            name: "fetch-timeout", type: .seconds(1...3_600), default: "30",
            "how long the server of a URL may be silent",
            \.fetchTimeout, isOfCheck: true),
        Option(
            name: "database-password-file", type: .file, "file with the password of the database's role",
            \.databasePasswordFile,
            isOfCheck: true),
        Option(
            name: "databases", type: .databaseHosts,
            "hosts whose PostgreSQL databases the document may name", \.tables.hosts, isOfCheck: true),
        Option(
            name: "first-patience", type: .seconds(0...86_400), default: "30",
            "how long to wait for a database at the start",
            \.firstPatience),
        Option(
            name: "arranged-rows", type: .number(0...100_000_000), default: "1000000",
            "the largest table that is sorted without an index", \.tables.arrangedRows),
        Option(
            name: "query-timeout", type: .seconds(1...3_600), default: "5",
            "how long a database may take for one answer",
            \.tables.timeout),
        Option(
            name: "tree-by", type: .columns, "tables as trees, by the column that refers to the record above",
            \.tables.treeColumns),
        Option(name: "cache", type: .file, "file that keeps the document of a URL for the next start", \.copyPath),
        Option(
            name: "cache-control", type: .fieldValue, default: "no-cache",
            "the Cache-Control header field of responses",
            \.api.cacheControl),
        Option(name: "hosts", type: .hosts, "further host names to answer to; * turns the check off", \.listedHosts),
        Option(
            name: "cors-origins", type: .origins,
            "origins whose pages may read; listed origins may also edit",
            \.api.allowedOrigins
        ),
        Option(
            name: "base-path", type: .basePath, default: "",
            "path under which a proxy serves this service, in all links",
            \.api.basePath),
        Option(
            name: "no-web-client", type: .flag.map(!), default: "false", "leaves out the web client", \.api.hasWebClient
        ),
    ]

    /// The options of `browse`, on the command line only.
    static let ofBrowse: [Option] = [
        Option(name: "token-file", type: .file, "file with the token that the server asks for"),
        Option(name: "lines", type: .flag, default: "false", "prints lines, as it does without a terminal"),
        Option(name: "follow", type: .flag, default: "false", "goes on printing the changes; implies --lines"),
        Option(name: "cache-folder", type: .folder, "keeps levels there, to show them while the server is away"),
    ]

    /// The options that `import` takes in addition to the options of `check`. They exist on the command line only.
    static let ofImport: [Option] = [
        Option(name: "replace", type: .flag, default: "false", "replaces the tree that the database has", \.replaces)
    ]

    /// The options that `export` takes in addition to the options of `check`. They exist on the command line only.
    static let ofExport: [Option] = [
        Option(
            name: "format", type: OptionType<PropertyListSyntax>.choice().map(Optional.some),
            "syntax of FILE; by default json if it ends in .json, else xml", \.exportSyntax)
    ]

    /// The options of all commands.
    static let ofAllCommands = all + ofImport + ofExport + ofBrowse

    /// The source, as a variable of the environment and a key of the configuration file.
    static let source = Option(name: "source", type: .file, "the document")
}
