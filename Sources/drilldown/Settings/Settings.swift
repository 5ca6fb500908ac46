import Bytes
import DatabaseTables
import Glibc
import HTTPServer
import Levels
import LevelsAPI
import PropertyLists
import TreeSources

/// The values of all options. The order of precedence is: command line, environment, configuration file, default.
struct Settings {
    /// The origin of a value.
    enum Origin: Equatable, CustomStringConvertible {
        case standard
        /// An option's name without the leading hyphens.
        case option(String)
        case variable(String)
        /// The position of a key in the configuration, such as `Config/drilldown.plist:12:3`.
        case file(String)

        var description: String {
            switch self {
            case .standard: "default"
            case .option(let name): "--\(name)"
            case .variable(let name): name
            case .file(let place): place
            }
        }
    }

    /// The text of a value, and its origin.
    struct Given: Equatable {
        let text: String
        let origin: Origin
    }

    // These properties are set from the options. A default in `Option.all` replaces the initial value here.
    var configuration: String?
    var listenTargets: [ListenTarget] = []
    /// The address for metrics and probes; nil to serve them at the addresses of the service.
    var metricsTarget: ListenTarget?
    var certificate: String?
    var certificateKey: String?
    /// The time to keep serving after the first signal to stop.
    var drain = Duration.zero
    var server = Server.Configuration()
    var api = LevelsAPI.Configuration()
    /// The hosts of `--hosts`; nil for `*`, empty without the option.
    var listedHosts: [String]? = []
    var readTokenFile: String?
    var editTokenFile: String?
    var logFormat = Log.Format.text
    var logsAccess = false
    /// The memory that the process may use, in bytes; nil for the system's limit.
    var memoryLimit: Int?
    var historyBytes = 0
    /// The rules for reading documents, and the receiver of the progress of loads.
    var interpretation = Interpretation(shape: .auto)
    /// The options for the tables of a database.
    var tables = TableRows.Options()
    /// The field of a table's titles; nil to choose a field from the table.
    var titleField: String?
    /// The field of a table's keys; nil to choose a field from the table.
    var keyField: String?
    /// The fields by which a table is drilled.
    var drillFields: [String] = []
    var valuesPath: String?
    var copyPath: String?
    /// The file with the password of the database's role; nil if libpq finds the password itself.
    var databasePasswordFile: String?
    /// The maximum time that the first load waits for a database.
    var firstPatience = Duration.zero
    var pollInterval = Duration.zero
    var refreshInterval = Duration.zero
    var fetchTimeout = Duration.zero
    /// Whether `import` may replace a tree that the database already has.
    var replaces = false
    /// The syntax of the file that `export` writes; nil to choose it by the name of the file.
    var exportSyntax: PropertyListSyntax?

    /// The sources as the user named them. There is exactly one for `serve`, and at least one for other commands.
    let sources: [String]
    /// The tokens of the variable `DRILLDOWN_EDIT_TOKEN`; nil if it is unset or empty.
    ///
    /// No option sets the tokens, because other users can read command lines.
    let editToken: String?
    /// The tokens of the variable `DRILLDOWN_READ_TOKEN`; nil if it is unset or empty.
    let readToken: String?
    /// The given values of the command's options, by key.
    private let given: [String: Given]

    /// The name of the variable that holds `readToken`.
    static let readTokenVariable = "DRILLDOWN_READ_TOKEN"
    /// The name of the variable that holds `editToken`.
    static let editTokenVariable = "DRILLDOWN_EDIT_TOKEN"

    /// - Throws: `UsageError` for a missing source, or an unknown variable, key or value.
    init(arguments: CommandLineArguments, environment: [String: String]) throws(UsageError) {
        let command = arguments.command ?? .serve
        var given = try Self.variables(environment)
        for option in Option.all(of: command) {
            guard let text = arguments.values[option.key] else { continue }
            given[option.key] = Given(text: text, origin: .option(option.name))
        }
        if let file = given["Config"] {
            let entries = try ConfigurationFile.entries(in: file.text, namedBy: "\(file.origin)")
            given.merge(entries) { before, _ in before }
        }
        editToken = environment[Self.editTokenVariable].flatMap { $0.isEmpty ? nil : $0 }
        readToken = environment[Self.readTokenVariable].flatMap { $0.isEmpty ? nil : $0 }
        sources = try Self.sources(arguments.sources, else: given[Option.source.key]?.text, for: command)
        let usable = Set(Option.all(of: command).map(\.key))
        self.given = given.filter { usable.contains($0.key) }
        for option in Option.ofAllCommands { try read(option) }
        interpretation.records = RecordOptions(titleField: titleField, keyField: keyField, drillFields: drillFields)
        api.assetsFolder = assetsFolder
        try checkNames()
        try checkCertificate()
        guard !api.sharesAnswers || readToken == nil && readTokenFile == nil else {
            throw UsageError(
                fact:
                    "\(name(\.api.cacheControl)): '\(api.cacheControl)' lets shared caches keep answers that need a read token; leave out public and s-maxage."
            )
        }
    }

    /// Checks that a document that is read as it is gets no names of sections, which only a document of items has.
    private func checkNames() throws(UsageError) {
        let roles = StructuralNames.Role.lists.filter { $0 != .children && interpretation.names.given($0) != nil }
        guard interpretation.shape == .natural, let role = roles.first else { return }
        throw UsageError(
            fact:
                "\(name(\.interpretation.names)): the role '\(role.rawValue)' is that of a document of items; with the shape natural, only title, key and children can be named."
        )
    }

    private static func sources(
        _ named: [String], else standard: String?, for command: CommandLineArguments.Command
    ) throws(UsageError) -> [String] {
        let sources = named.isEmpty ? standard.map { [$0] } ?? [] : named
        guard let source = sources.first, !sources.contains("") else {
            throw UsageError(
                fact: "no document is given; name a property list: drilldown \(command.rawValue) Data.plist.")
        }
        guard command == .serve else { return sources }
        guard sources.count == 1 else { throw .severalDocuments(sources) }
        guard source != "-" else {
            throw UsageError(
                fact: "serve reads its document again when it changes, but standard input (-) can be read only once.",
                hint: "Save it as a file, or use 'check -'.")
        }
        return sources
    }

    /// The variables that other programs would use for the address, each with the variable of this program.
    private static let otherNames = [
        "DRILLDOWN_PORT": "DRILLDOWN_LISTEN", "DRILLDOWN_HOST": "DRILLDOWN_LISTEN",
        "DRILLDOWN_ADDRESS": "DRILLDOWN_LISTEN", "DRILLDOWN_BIND": "DRILLDOWN_LISTEN",
    ]

    /// Returns the values of the variables that are options, by key. An empty variable counts as unset.
    private static func variables(_ environment: [String: String]) throws(UsageError) -> [String: Given] {
        let known = Option.all + [Option.source]
        var values: [String: Given] = [:]
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("DRILLDOWN_") && !value.isEmpty && !isServiceLink(name, value)
            && ![editTokenVariable, readTokenVariable].contains(name)
        {
            guard let option = known.first(where: { $0.variable == name }) else {
                let near =
                    Self.otherNames[name]
                    ?? EditDistance.nearest(
                        to: name, among: known.map(\.variable) + [editTokenVariable, readTokenVariable])
                throw UsageError(
                    fact: "\(quoted: name) is not a variable of drilldown.", hint: near.map { "Did you mean \($0)?" })
            }
            let text = option.mayRepeat ? value.replacing(",", with: "\n") : value
            values[option.key] = Given(text: text, origin: .variable(name))
        }
        return values
    }

    /// Returns whether Kubernetes sets a variable in all containers of a namespace with a service named `drilldown`.
    ///
    /// The names are `DRILLDOWN_SERVICE_HOST`, `DRILLDOWN_SERVICE_PORT_HTTP`, `DRILLDOWN_PORT` with a value such as
    /// `tcp://…`, `DRILLDOWN_PORT_8080_TCP_ADDR`, and similar names.
    private static func isServiceLink(_ name: String, _ value: String) -> Bool {
        if name == "DRILLDOWN_PORT" { return value.contains("://") }
        if name.hasPrefix("DRILLDOWN_PORT_") { return name.dropFirst(15).first?.isNumber == true }
        return name == "DRILLDOWN_SERVICE_HOST" || name.hasPrefix("DRILLDOWN_SERVICE_PORT")
    }

    // MARK: Values

    private mutating func read(_ option: Option) throws(UsageError) {
        let text = given[option.key]?.text ?? option.standard ?? ""
        guard !text.isEmpty || option.standard != nil else { return }
        do throws(WrongValue) {
            try option.read(text, &self)
        } catch {
            throw UsageError(fact: "\(name(option)): \(error.reason)")
        }
    }

    private func checkCertificate() throws(UsageError) {
        guard (certificate == nil) != (certificateKey == nil) else { return }
        let (named, missing) =
            certificateKey == nil
            ? (name(\.certificate), "private key with --tls-key")
            : (name(\.certificateKey), "certificate with --tls-certificate")
        throw UsageError(fact: "\(named): HTTPS needs the certificate and its key; name the file of the \(missing).")
    }

    /// Returns the origin of a property's value.
    func origin(_ property: PartialKeyPath<Settings>) -> Origin { option(property).map(origin) ?? .standard }

    /// Returns the prefix of a message about a property's value: the origin of the value. If the origin is a file, the
    /// prefix includes the key.
    func name(_ property: PartialKeyPath<Settings>) -> String { option(property).map(name) ?? "" }

    private func option(_ property: PartialKeyPath<Settings>) -> Option? { Option.all.first { $0.sets(property) } }

    private func origin(_ option: Option) -> Origin { given[option.key]?.origin ?? .standard }

    private func name(_ option: Option) -> String {
        if case .file(let place) = origin(option) { return "\(place): \(option.key)" }
        return "\(origin(option))"
    }
}

extension Settings {
    /// Returns the hosts for which a server answers at its bound addresses; nil for all hosts.
    ///
    /// At a loopback address, a request that names another host can come only from a web page whose own name resolves
    /// to this address. At any other address, clients may use names that the service does not know.
    ///
    /// - Parameter targets: the addresses as the settings name them.
    func hosts(at bound: [BoundAddress], of targets: [ListenTarget]) -> AllowedHosts? {
        guard let listedHosts, !listedHosts.isEmpty || bound.contains(where: \.isLoopback) else { return nil }
        var own: [String] = []
        for case .internet(let host, _) in bound { own.append(host) }
        for case .address(let address) in targets { own.append(address.host) }
        return AllowedHosts(
            AllowedHosts.loopbackNames + own.map { $0.contains(":") ? "[\($0)]" : $0 } + listedHosts)
    }

    /// Returns the addresses at which the hosts are checked; nil for all addresses.
    func checkedAddresses(_ bound: [BoundAddress]) -> [BoundAddress]? {
        let isListed = listedHosts?.isEmpty == false
        return isListed || bound.allSatisfy(\.isLoopback) ? nil : bound.filter(\.isLoopback)
    }

    var log: Log {
        let output = StandardError.shared
        return Log(format: logFormat, isTimed: !output.isJournal && !output.isTerminal)
    }
}
