import Bytes
import HTTPServer
import Levels
import PropertyLists

/// The parsed query of a target. Names and values are percent-decoded, and `+` is a space.
struct Query {
    struct Parameter: Sendable {
        let name: String
        let value: String
        /// The number of the option with this name; nil if the endpoint does not have this option.
        let number: Int?
    }

    private(set) var parameters: [Parameter] = []
    let options: QueryOptions

    /// The maximum number of parameters, far more than any request needs.
    private static let limit = 64

    init(_ options: QueryOptions) { self.options = options }

    /// Parses a query. Checks only that options are not repeated; `check()` checks the other rules.
    ///
    /// - Throws: `Problem` (400) for a repeated option that must be unique, text that is not percent-encoded UTF-8, or
    ///   too many parameters.
    init(text: Span<UInt8>, options: QueryOptions) throws(Problem) {
        self.options = options
        guard !text.isEmpty else { return }
        try text.forEachPart(dividedBy: UInt8(ascii: "&")) { part throws(Problem) in try add(part) }
    }

    private mutating func add(_ part: Span<UInt8>) throws(Problem) {
        let equals = part.index(of: UInt8(ascii: "="))
        let encodedName = part.extracting(0..<equals)
        let known = options.number(of: encodedName)
        guard let name = known.map({ options.names[$0] }) ?? Self.decode(encodedName),
            let value = Self.decode(part.extracting(min(equals + 1, part.count)..<part.count))
        else {
            throw .badParameter(
                String(utf8: part), detail: "The query part '\(quoted: part)' is not percent-encoded UTF-8.")
        }
        guard parameters.count < Self.limit else {
            throw .badParameter(
                name, detail: "A query must have at most \(Self.limit) parameters; '\(quoted: name)' is one more.")
        }
        // A percent-encoded name is compared with the names of the options only after decoding.
        let number = known ?? options.names.firstIndex(of: name)
        let isBareFlag = equals == part.count && number.map { options.all[$0].isFlag } == true
        let parameter = Parameter(name: name, value: isBareFlag ? "true" : value, number: number)
        guard number.map({ options.all[$0].isRepeatable }) == true || !parameters.contains(where: { $0.name == name })
        else {
            throw .badParameter(name, detail: "The parameter '\(quoted: name)' appears more than once; give it once.")
        }
        parameters.append(parameter)
    }

    /// Decodes a name or a value; nil for text that is not percent-encoded UTF-8.
    private static func decode(_ text: Span<UInt8>) -> String? {
        if text.indices.allSatisfy({ text[$0] != UInt8(ascii: "%") && text[$0] != UInt8(ascii: "+") }) {
            do { return String(copying: try UTF8Span(validating: text)) } catch { return nil }
        }
        var bytes = Array(copying: text)
        // Plus signs are replaced before decoding, because a percent-encoded plus sign stays a plus sign.
        for index in bytes.indices where bytes[index] == UInt8(ascii: "+") { bytes[index] = UInt8(ascii: " ") }
        return PercentEncoding.decode(bytes.span).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Refuses unknown parameters, options that cannot be combined, and options without the option that they require.
    func check() throws(Problem) {
        guard !parameters.isEmpty else { return }
        for parameter in parameters where parameter.number == nil { throw unknown(parameter) }
        for parameter in parameters {
            let required = parameter.number.map { options.all[$0].requires } ?? []
            guard let required = required.first(where: { !contains($0) }) else { continue }
            throw .badParameter(
                parameter.name,
                detail: "'\(parameter.name)' applies only to '\(required)'; add it, or omit '\(parameter.name)'.")
        }
        for parameter in parameters {
            guard let excluded = parameter.number.map({ options.all[$0].excludes }), !excluded.isEmpty,
                let other = parameters.first(where: {
                    excluded.contains($0.name) && !(isFollowing && $0.name == QueryOption.sinceVersion.name)
                })
            else { continue }
            throw .badParameter(
                parameter.name,
                detail: "'\(parameter.name)' cannot be combined with '\(other.name)'; leave one of them out.")
        }
    }

    /// Whether the query contains an option.
    func contains(_ name: String) -> Bool { parameters.contains { $0.name == name } }

    /// Whether this is the query of a link `follow`. Such a request is answered by its link alone, so that a cache can
    /// give the answer to all who have the link: the header's preferences and conditions do not count.
    var isFollowing: Bool {
        parameters.count >= 3 && contains(QueryOption.sinceVersion.name) && contains(QueryOption.wait.name)
            && namesFormat
    }

    /// Whether the query names the format, so that `Accept` does not count.
    var namesFormat: Bool { contains(QueryOption.format.name) }

    /// Removes the options of delivery from the target of this query. Returns nil if nothing is removed.
    ///
    /// - Parameter removesSince: whether to remove `since`, too.
    func targetWithoutDelivery(_ target: Span<UInt8>, removesSince: Bool) -> [UInt8]? {
        func isKept(_ parameter: Parameter) -> Bool {
            parameter.number.map { options.all[$0].phase } != .delivery
                && !(removesSince && parameter.name == QueryOption.sinceVersion.name)
        }
        guard !parameters.allSatisfy(isKept) else { return nil }
        let end = target.index(of: UInt8(ascii: "?"))
        var kept = Array(copying: target.extracting(0..<end))
        var index = 0
        var separator = UInt8(ascii: "?")
        target.extracting(end + 1..<target.count).forEachPart(dividedBy: UInt8(ascii: "&")) { part in
            defer { index += 1 }
            guard isKept(parameters[index]) else { return }
            kept.append(separator)
            kept += Array(copying: part)
            separator = UInt8(ascii: "&")
        }
        return kept
    }

    private func unknown(_ parameter: Parameter) -> Problem {
        let (name, names) = (parameter.name, options.names)
        let hint = meant(by: parameter).map { " Did you mean '\(quoted: $0)'?" } ?? ""
        let list =
            switch names.count {
            case 0: "this resource has none"
            case 1: "the only one is \(names[0])"
            default: "the parameters are " + names.joined(separator: ", ")
            }
        return .badParameter(name, detail: "'\(quoted: name)' is not a parameter here; \(list).\(hint)", allowed: names)
    }
}

extension Query {
    /// Returns what an unknown parameter was probably meant to be: an option, or a condition on a field; otherwise nil.
    private func meant(by parameter: Parameter) -> String? {
        let name = parameter.name
        guard !name.isEmpty, name.utf8.count <= EditDistance.longestText else { return nil }
        let plain = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != "$" }.prefix { $0 != "[" && $0 != "." }
        if let option = options.all.first(where: { $0.name == plain || $0.otherNames.contains(String(plain)) }) {
            return option.name
        }
        if let near = EditDistance.nearest(to: name, among: options.names) { return near }
        guard let condition = options[QueryOption.condition.name] else { return nil }
        // The names that json-server, Django and others give to conditions: price_gte, price__gte, price[gte].
        if let found = name.wholeMatch(of: /(.+?)(?:__?|\[)([a-z]+)\]?/), let sign = QueryOption.signs[String(found.2)]
        {
            return "\(condition.name)=\(found.1)\(sign)\(parameter.value)"
        }
        return "\(condition.name)=\(name):\(parameter.value)"
    }

    /// Reads the options with these numbers. The values of a repeated option are read in the order in which links repeat
    /// them, because a cursor in such a link belongs to the list with this order.
    private func read(_ numbers: [Int], into values: inout QueryValues) throws(Problem) {
        guard !parameters.isEmpty else { return }
        for number in numbers {
            guard let first = parameters.first(where: { $0.number == number }) else { continue }
            let option = options.all[number]
            let given =
                option.isRepeatable
                ? parameters.filter { $0.number == number }.map(\.value).sorted() : [first.value]
            for value in given { try option.read(value, &values) }
        }
    }

    /// Reads the options of delivery. If the query does not contain `wait`, reads the preference `wait` of the request
    /// instead.
    func readDelivery(_ request: Request, into values: inout QueryValues) throws(Problem) {
        try read(options.ofDelivery, into: &values)
        if values.delivery.wait == nil { values.delivery.wait = Wait.preferred(by: request) }
    }

    /// Checks the query, and reads the options that the answer depends on.
    func readAnswer(into values: inout QueryValues) throws(Problem) {
        guard !parameters.isEmpty else { return }
        try check()
        try read(options.ofAnswer, into: &values)
        try values.checkCursor()
        guard values.delivery.since == nil || values.delivery.format != .csv else {
            throw .badParameter(
                "since", detail: "'since' cannot be answered as CSV; ask for another format, or omit 'since'.")
        }
    }
}
