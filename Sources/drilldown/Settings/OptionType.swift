import HTTPServer
import Levels
import LevelsAPI
import PropertyLists

/// The placeholder, the completion and the parser of an option's values.
struct OptionType<Value>: Sendable {
    /// The placeholder of a value in the help; nil for a flag.
    let placeholder: String?
    let completion: OptionCompletion
    let read: @Sendable (String) throws(WrongValue) -> Value

    init(
        placeholder: String?, completion: OptionCompletion = .text,
        read: @escaping @Sendable (String) throws(WrongValue) -> Value
    ) {
        (self.placeholder, self.completion, self.read) = (placeholder, completion, read)
    }

    /// - Parameter wanted: the form of a valid value. It is part of the message if `parse` returns nil for a text.
    init(
        placeholder: String?, completion: OptionCompletion = .text, wanted: String,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.init(placeholder: placeholder, completion: completion) { text throws(WrongValue) in
            guard let value = parse(text) else { throw WrongValue(text: text, isNot: wanted) }
            return value
        }
    }

    func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> OptionType<Other> {
        OptionType<Other>(placeholder: placeholder, completion: completion) { text throws(WrongValue) in
            transform(try read(text))
        }
    }
}

/// The completion of an option's values in a shell.
enum OptionCompletion: Equatable {
    /// No value: the option is a flag.
    case none
    case choices([String])
    case file
    case folder
    /// Text that a shell cannot complete.
    case text
}

/// A text that is not a value of its option.
struct WrongValue: Error {
    /// The error, as a message shows it after the option's name and a colon.
    let reason: String

    init(_ reason: String) { self.reason = reason }

    init(text: String, isNot wanted: String) { reason = "'\(quoted: text)' is not \(wanted)." }
}

// MARK: Types of several options

extension OptionType<Int> {
    static func number(_ range: ClosedRange<Int>, placeholder: String = "N") -> Self {
        Self(placeholder: placeholder, wanted: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    static func bytes(_ range: ClosedRange<Int> = 0...1 << 40) -> Self { number(range, placeholder: "BYTES") }
}

extension OptionType<Duration> {
    static func seconds(_ range: ClosedRange<Int>) -> Self {
        OptionType<Int>.number(range, placeholder: "SECONDS").map { .seconds($0) }
    }
}

extension OptionType<Bool> {
    static let flag = Self(placeholder: nil, completion: .none, wanted: "true or false") { text in
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }
}

extension OptionType where Value: RawRepresentable & CaseIterable & SendableMetatype, Value.RawValue == String {
    /// - Parameter placeholder: the text in place of the choices in the help; nil for the choices themselves.
    static func choice(placeholder: String? = nil) -> Self {
        let choices = Value.allCases.map(\.rawValue)
        return Self(
            placeholder: placeholder ?? choices.joined(separator: "|"), completion: .choices(choices),
            wanted: "one of \(choices.joined(separator: ", "))"
        ) { Value(rawValue: $0) }
    }
}

extension OptionType<String?> {
    static let field = Self(placeholder: "FIELD") { $0 }
    static let file = Self(placeholder: "FILE", completion: .file) { $0 }
    static let folder = Self(placeholder: "FOLDER", completion: .folder) { $0 }
}

// MARK: Types of one option

extension OptionType<[ListenTarget]> {
    /// One target on each line.
    static let listenTargets = Self(placeholder: "HOST:PORT") { text throws(WrongValue) in
        var targets: [ListenTarget] = []
        for text in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let target = try ListenTarget(text)
            guard !targets.contains(target) || target.isFreePort else {
                throw WrongValue("'\(quoted: text)' appears more than once.")
            }
            targets.append(target)
        }
        return targets
    }
}

extension OptionType<ListenTarget?> {
    static let address = Self(placeholder: "HOST:PORT") { text throws(WrongValue) in try ListenTarget(address: text) }
}

extension ListenTarget {
    fileprivate init(_ text: String) throws(WrongValue) {
        guard text.hasPrefix(Self.unixPrefix) else {
            guard !text.hasPrefix("/") else {
                throw WrongValue(text: text, isNot: "HOST:PORT; a socket is \(Self.unixPrefix)\(text)")
            }
            try self.init(address: text)
            return
        }
        let path = String(text.dropFirst(Self.unixPrefix.count))
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw WrongValue(text: text, isNot: "the path of a socket, such as \(Self.unixPrefix)/run/drilldown/socket")
        }
        self = .unixSocket(path)
    }

    fileprivate init(address text: String) throws(WrongValue) {
        guard let address = ListenAddress(text) else {
            throw WrongValue(text: text, isNot: ListenAddress.requirement(for: text))
        }
        self = .address(address)
    }
}

extension OptionType<[String: String]> {
    static let columns = Self(
        placeholder: "TABLE=COLUMN,…", wanted: "a list of tables with a column each, such as Employee=ReportsTo"
    ) { text in
        var columns: [String: String] = [:]
        for text in text.split(separator: ",") {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, columns[parts[0]] == nil else { return nil }
            columns[parts[0]] = parts[1]
        }
        return columns
    }
}

extension OptionType<TrustedProxies?> {
    static let proxies = Self(
        placeholder: "ADDRESS,…", wanted: "a list of addresses and networks, such as 127.0.0.1,10.0.0.0/8, or unix"
    ) { text in
        TrustedProxies(words(of: text)).map(Optional.some)
    }
}

extension OptionType<[String]?> {
    /// A list of host names; nil for all hosts.
    static let hosts = Self(
        placeholder: "NAME,…|*", wanted: "a list of host names without ports, separated by commas, or * alone for all"
    ) { text in
        let listed = words(of: text)
        if listed == ["*"] { return .some(nil) }
        guard listed.allSatisfy(AllowedHosts.isName) else { return nil }
        return listed
    }
}

extension OptionType<[String]> {
    /// Names and addresses of hosts, or folders of their sockets.
    static let databaseHosts = Self(
        placeholder: "HOST,…", wanted: "a list of hosts, or folders of sockets, separated by commas"
    ) { text in
        let hosts = words(of: text)
        return hosts.allSatisfy { $0.hasPrefix("/") || AllowedHosts.isName($0) } ? hosts : nil
    }

    /// Names of fields, which may contain spaces.
    static let fields = Self(placeholder: "FIELD,…", wanted: "names of fields, separated by commas") { text in
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return names.contains("") ? nil : names
    }
}

extension OptionType<AllowedOrigins> {
    static let origins = Self(placeholder: "ORIGIN,…|*") { text throws(WrongValue) in
        do {
            return try AllowedOrigins(text)
        } catch {
            throw WrongValue("\(error).")
        }
    }
}

extension OptionType<StructuralNames> {
    static let names = Self(placeholder: "ROLE=NAME|NAME,…") { text throws(WrongValue) in
        do throws(StructuralNamesError) {
            return try StructuralNames(mapping: text)
        } catch {
            throw WrongValue("\(error.reason).")
        }
    }
}

extension OptionType<String> {
    /// An empty text, or a path whose segments do not need percent-encoding and do not begin with a dot. A final slash
    /// is removed.
    static let basePath = Self(
        placeholder: "PATH",
        wanted:
            "a path such as /music, of letters, digits and the marks -._~, without the service's own names such as levels"
    ) { text in
        let path = text.hasSuffix("/") ? String(text.dropLast()) : text
        let isPath = path.wholeMatch(of: /(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/) != nil
        return isPath && LevelsAPI.Configuration.isBasePath(path) ? path : nil
    }

    static let fieldValue = Self(placeholder: "TEXT", wanted: "a header field's value") { text in
        text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) } ? text : nil
    }
}

/// Returns the elements of a list, which are separated by commas or spaces.
private func words(of text: String) -> [String] { text.split { $0 == "," || $0 == " " }.map(String.init) }
