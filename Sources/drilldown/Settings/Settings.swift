import Bytes
import Glibc
import PropertyLists
import TreeSources

/// All options with their values, in order of precedence: command line, environment, configuration file, default.
struct Settings {
    /// Where a value was given.
    enum Origin: Equatable, CustomStringConvertible {
        case standard
        /// An option's name without the leading hyphens.
        case option(String)
        case variable(String)
        /// A key's place in the configuration, as `Config/drilldown.plist:12:3`.
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

    private let values: [String: String]
    private let origins: [String: Origin]
    /// Exactly one for `serve`, at least one for `check`.
    let sources: [String]
    /// The tokens of `DRILLDOWN_EDIT_TOKEN`; nil if it is not set. It is no option, so that no command line has it.
    let editToken: String?
    /// Where the documents tell how far their loads are; nil if nobody looks.
    var progress: LoadProgress?

    /// The tokens of `DRILLDOWN_READ_TOKEN`; nil if it is not set.
    let readToken: String?

    /// The variable of `readToken`.
    static let readTokenVariable = "DRILLDOWN_READ_TOKEN"
    /// The variable of `editToken`.
    static let editTokenVariable = "DRILLDOWN_EDIT_TOKEN"

    /// - Throws: `UsageError` for a missing source, or an unknown variable, key or value.
    init(_ arguments: CommandLineArguments, environment: [String: String]) throws(UsageError) {
        var values: [String: String] = [:]
        var origins: [String: Origin] = [:]
        let variables = try Self.variables(environment)
        if let path = arguments.values["Config"] ?? variables["Config"] {
            let origin = arguments.values["Config"] == nil ? Self.variable(of: "Config") : "--config"
            for (key, entry) in try ConfigurationFile.entries(in: path, namedBy: origin) {
                (values[key], origins[key]) = (entry.value, .file(entry.place))
            }
        }
        for (key, value) in variables { (values[key], origins[key]) = (value, .variable(Self.variable(of: key))) }
        for option in Option.all {
            guard let value = arguments.values[option.key] else { continue }
            (values[option.key], origins[option.key]) = (value, .option(option.name))
        }
        editToken = environment[Self.editTokenVariable].flatMap { $0.isEmpty ? nil : $0 }
        readToken = environment[Self.readTokenVariable].flatMap { $0.isEmpty ? nil : $0 }
        let command = arguments.command ?? .serve
        let usable = Set(Option.all(of: command).map(\.key) + [Option.source.key])
        self.values = values.filter { usable.contains($0.key) }
        self.origins = origins
        sources = try Self.sources(arguments.sources, else: values[Option.source.key], for: command)
    }

    private static func sources(
        _ named: [String], else standard: String?, for command: CommandLineArguments.Command
    ) throws(UsageError) -> [String] {
        let sources = named.isEmpty ? standard.map { [$0] } ?? [] : named
        guard let source = sources.first, !sources.contains("") else {
            throw UsageError("no document is given; name a property list: drilldown \(command.rawValue) Data.plist.")
        }
        guard command == .serve else { return sources }
        guard sources.count == 1 else {
            let names = sources.map(RemoteAddress.shown).joined(separator: ", ")
            throw UsageError("serve takes one document, not \(sources.count): \(names).")
        }
        guard source != "-" else {
            throw UsageError(
                "serve reads its document again when it changes, but standard input (-) can be read only once.",
                hint: "Save it as a file, or use 'check -'.")
        }
        return sources
    }

    private static func variable(of key: String) -> String {
        (Option.all.first { $0.key == key } ?? Option.source).variable
    }

    /// The variables that are options, by key; an empty one counts as unset.
    private static func variables(_ environment: [String: String]) throws(UsageError) -> [String: String] {
        let known = Option.all + [Option.source]
        var values: [String: String] = [:]
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("DRILLDOWN_") && !value.isEmpty && !isServiceLink(name, value)
            && ![editTokenVariable, readTokenVariable].contains(name)
        {
            guard let option = known.first(where: { $0.variable == name }) else {
                let near = EditDistance.nearest(to: name, among: known.map(\.variable))
                throw UsageError(
                    "\(quoted: name) is not a variable of drilldown.", hint: near.map { "Did you mean \($0)?" })
            }
            values[option.key] = option.mayRepeat ? value.replacing(",", with: "\n") : value
        }
        return values
    }

    /// Whether Kubernetes sets this variable in every container next to a service named `drilldown`:
    /// `_SERVICE_HOST`, `_SERVICE_PORT_HTTP`, `_PORT=tcp://…`, `_PORT_8080_TCP_ADDR` and their like.
    private static func isServiceLink(_ name: String, _ value: String) -> Bool {
        if name == "DRILLDOWN_PORT" { return value.contains("://") }
        if name.hasPrefix("DRILLDOWN_PORT_") { return name.dropFirst(15).first?.isNumber == true }
        return name == "DRILLDOWN_SERVICE_HOST" || name.hasPrefix("DRILLDOWN_SERVICE_PORT")
    }

    // MARK: Values

    /// The value of an option, or its default.
    func text(_ key: String) -> String {
        values[key] ?? Option.all.first { $0.key == key }?.standard ?? ""
    }

    /// The values of an option that may be repeated.
    func texts(_ key: String) -> [String] {
        text(key).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Where the value of an option was given.
    func origin(_ key: String) -> Origin { values[key] == nil ? .standard : origins[key] ?? .standard }

    /// The prefix of a message about an option's value: the origin, with the key if the origin is a file.
    func name(_ key: String) -> String {
        if case .file(let place) = origin(key) { return "\(place): \(key)" }
        return "\(origin(key))"
    }

    /// The error for a value that an option does not accept.
    ///
    /// - Parameter value: the one that is meant, if the option has several.
    func wrong(_ key: String, _ wanted: String, value: String? = nil) -> UsageError {
        UsageError("\(name(key)): '\(quoted: value ?? text(key))' is not \(wanted).")
    }

    /// - Throws: `UsageError` if the value is not a whole number in the range.
    func number(_ key: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let value = Int(text(key)), range.contains(value) else {
            throw wrong(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// - Throws: `UsageError` if the value is neither true nor false.
    func flag(_ key: String) throws(UsageError) -> Bool {
        switch text(key).lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: throw wrong(key, "true or false")
        }
    }

    /// - Throws: `UsageError` if the value is not one of the choices.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _ type: Choice.Type
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text(key)) else {
            throw wrong(key, "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }
}
