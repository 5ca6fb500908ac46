import Glibc
import HTTPServer
import Levels
import LevelsAPI
import PropertyLists
import TreeSources

/// All options with their values: command line over environment over configuration file over default.
struct Settings {
    private let values: [String: String]
    private let origins: [String: String]
    let source: String

    /// - Throws: `UsageError` for a missing source, or an unknown variable, key or value.
    init(_ arguments: CommandLineArguments, environment: [String: String]) throws(UsageError) {
        var values: [String: String] = [:]
        var origins: [String: String] = [:]
        let variables = try Self.variables(environment)
        if let path = arguments.values["Config"] ?? variables["Config"] {
            for (key, value) in try ConfigurationFile.values(in: path) {
                (values[key], origins[key]) = (value, "\(path): \(key)")
            }
        }
        for (key, value) in variables { (values[key], origins[key]) = (value, Self.variable(of: key)) }
        for (key, value) in arguments.values {
            (values[key], origins[key]) = (value, "--" + (Option.all.first { $0.key == key }?.name ?? key))
        }
        guard arguments.sources.count < 2 else {
            throw UsageError(
                description:
                    "one source is served, not \(arguments.sources.count): \(arguments.sources.joined(separator: ", "))."
            )
        }
        guard let source = arguments.sources.first ?? values["Source"], !source.isEmpty else {
            throw UsageError(
                description:
                    "which document? Name a property list: drilldown \(arguments.command?.rawValue ?? "serve") Data.plist."
            )
        }
        self.values = values
        self.origins = origins
        self.source = source
    }

    private static func variable(of key: String) -> String {
        (Option.all.first { $0.key == key } ?? Option.source).variable
    }

    private static func variables(_ environment: [String: String]) throws(UsageError) -> [String: String] {
        let known = Option.all + [Option.source]
        var values: [String: String] = [:]
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("DRILLDOWN_") {
            guard let option = known.first(where: { $0.variable == name }) else {
                let near =
                    EditDistance.nearest(to: name, among: known.map(\.variable)).map { " Did you mean \($0)?" } ?? ""
                throw UsageError(description: "there is no variable \(name).\(near)")
            }
            values[option.key] = value
        }
        return values
    }

    // MARK: Values

    private func text(_ key: String) -> String {
        values[key] ?? Option.all.first { $0.key == key }?.standard ?? ""
    }

    private func wrong(_ key: String, _ wanted: String) -> UsageError {
        UsageError(description: "\(origins[key] ?? key): '\(text(key))' is not \(wanted).")
    }

    private func number(_ key: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let value = Int(text(key)), range.contains(value) else {
            throw wrong(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private func flag(_ key: String) throws(UsageError) -> Bool {
        switch text(key).lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: throw wrong(key, "true or false")
        }
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _ type: Choice.Type
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text(key)) else {
            throw wrong(key, "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// - Throws: `UsageError` for a value that is none.
    func file() throws(UsageError) -> PropertyListFile {
        if source.hasPrefix("http://") || source.hasPrefix("https://") {
            throw UsageError(description: "'\(source)' is a URL; this version serves files, so fetch it first.")
        }
        let names: StructuralNames
        do {
            names = text("Keys").isEmpty ? StructuralNames() : try StructuralNames(mapping: text("Keys"))
        } catch {
            throw UsageError(description: "\(origins["Keys"] ?? "Keys"): \(error.reason).")
        }
        return PropertyListFile(
            path: source, shape: try choice("Shape", PropertyListFile.Shape.self), names: names,
            treeLimits: TreeLimits(items: try number("MaxItems", 1...4_000_000_000)),
            maximumBytes: try number("MaxDocumentBytes", 1...1 << 50),
            pollInterval: .seconds(try number("PollInterval", 1...86_400)))
    }

    /// - Throws: `UsageError` for a value that is none.
    func server() throws(UsageError) -> Server.Configuration {
        var server = Server.Configuration()
        (server.host, server.port) = try listen()
        server.threads = try number("Threads", 0...1_024)
        server.connectionLimit = try number("Connections", 1...1_000_000)
        server.connectionLimitPerAddress = try number("ConnectionsPerAddress", 0...1_000_000)
        server.idleTimeout = .seconds(try number("IdleTimeout", 1...86_400))
        server.requestDeadline = .seconds(try number("RequestDeadline", 1...86_400))
        return server
    }

    /// - Throws: `UsageError` for a value that is none.
    func api() throws(UsageError) -> LevelsAPI.Configuration {
        var api = LevelsAPI.Configuration()
        api.cacheBytes = try number("CacheBytes", 0...1 << 40)
        api.historyBytes = try number("HistoryBytes", 0...1 << 40)
        api.cacheControl = text("CacheControl")
        guard api.cacheControl.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) }) else {
            throw wrong("CacheControl", "a header field's value")
        }
        do {
            api.allowedOrigins = try AllowedOrigins(text("CorsOrigins"))
        } catch {
            throw UsageError(description: "\(origins["CorsOrigins"] ?? "CorsOrigins"): \(error).")
        }
        return api
    }

    /// - Throws: `UsageError` for a value that is none.
    func log() throws(UsageError) -> Log { Log(try choice("LogFormat", Log.Format.self)) }

    /// - Throws: `UsageError` for a value that is none.
    func logsAccess() throws(UsageError) -> Bool { try flag("AccessLog") }

    /// Host and port of `HOST:PORT`; an IPv6 address stands in brackets.
    private func listen() throws(UsageError) -> (host: String, port: UInt16) {
        let text = text("Listen")
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw wrong("Listen", "HOST:PORT, such as 127.0.0.1:8080 or [::1]:0")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty else { throw wrong("Listen", "HOST:PORT, such as 127.0.0.1:8080 or [::1]:0") }
        return (host, port)
    }
}
