import Bytes
import Levels
import PropertyLists

/// The query of a target, taken apart: names and values percent-decoded, `+` read as a space.
struct Query {
    struct Parameter {
        let name: String
        let value: String
        /// The option of this name; nil if the endpoint takes none.
        let option: QueryOption?
    }

    private(set) var parameters: [Parameter] = []
    /// Those that the endpoint takes.
    let options: QueryOptions

    /// The most parameters that a query may have: far more than any endpoint takes.
    private static let limit = 64
    /// The longest name, in bytes, for which the nearest option is suggested.
    private static let nameLimit = 64

    /// Takes a query apart; nothing is checked against the options yet, except that names are not repeated.
    ///
    /// - Throws: `Problem` (400) for a repeated name that must be unique, text that is not percent-encoded UTF-8, or too
    ///   many parameters.
    init(_ text: Span<UInt8>, _ options: QueryOptions) throws(Problem) {
        self.options = options
        guard !text.isEmpty else { return }
        try text.forEachPart(dividedBy: UInt8(ascii: "&")) { part throws(Problem) in try add(part) }
    }

    private mutating func add(_ part: Span<UInt8>) throws(Problem) {
        let equals = part.index(of: UInt8(ascii: "="))
        let encodedName = part.extracting(0..<equals)
        let option = options.option(named: encodedName)
        guard let name = option?.name ?? Self.decode(encodedName),
            let value = Self.decode(part.extracting(min(equals + 1, part.count)..<part.count))
        else {
            throw .badParameter(String(utf8: part), "The query part '\(quoted: part)' is not percent-encoded UTF-8.")
        }
        guard parameters.count < Self.limit else {
            throw .badParameter(
                name, "A query must have at most \(Self.limit) parameters; '\(quoted: name)' is one more.")
        }
        // A name that is percent-encoded is known only now.
        let parameter = Parameter(name: name, value: value, option: option ?? options[name])
        guard parameter.option?.isRepeatable == true || !parameters.contains(where: { $0.name == name }) else {
            throw .badParameter(name, "The parameter '\(quoted: name)' appears more than once; give it once.")
        }
        parameters.append(parameter)
    }

    /// Decodes a name or a value; nil if it is not percent-encoded UTF-8.
    private static func decode(_ text: Span<UInt8>) -> String? {
        let hasPlus = text.contains(UInt8(ascii: "+"))
        if !hasPlus, !text.contains(UInt8(ascii: "%")) { return String(checking: text) }
        // A plus that was percent-encoded is a plus: pluses are replaced before anything is decoded.
        let plain = hasPlus ? spaced(text) : Array(copying: text)
        return PercentEncoding.decode(plain.span).flatMap { String(checking: $0.span) }
    }

    private static func spaced(_ text: Span<UInt8>) -> [UInt8] {
        var bytes = Array(copying: text)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "+") { bytes[index] = UInt8(ascii: " ") }
        return bytes
    }

    /// Refuses parameters that are not among the options, and options that cannot be combined.
    ///
    /// - Throws: `Problem` (400) that names the parameter, the options of the endpoint, and the nearest of them.
    func check() throws(Problem) {
        guard !parameters.isEmpty else { return }
        for parameter in parameters where parameter.option == nil { throw unknown(parameter.name) }
        for parameter in parameters {
            guard let excluded = parameter.option?.excludes, !excluded.isEmpty,
                let other = parameters.first(where: { excluded.contains($0.name) })
            else { continue }
            throw .badParameter(
                parameter.name,
                "'\(parameter.name)' cannot be combined with '\(other.name)'; leave one of them out.")
        }
    }

    private func unknown(_ name: String) -> Problem {
        let names = options.names
        let near = name.utf8.count > Self.nameLimit ? nil : EditDistance.nearest(to: name, among: names)
        let hint = near.map { " Did you mean '\($0)'?" } ?? ""
        let list =
            switch names.count {
            case 0: "there are none here"
            case 1: "there is only \(names[0])"
            default: "there are " + names.joined(separator: ", ")
            }
        return .badParameter(name, "There is no parameter '\(quoted: name)'; \(list).\(hint)", allowed: names)
    }
}

extension String {
    /// Copies text; nil if it is not UTF-8.
    fileprivate init?(checking text: Span<UInt8>) {
        do { self.init(copying: try UTF8Span(validating: text)) } catch { return nil }
    }
}

extension Span<UInt8> {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        for index in indices where self[index] == byte { return true }
        return false
    }
}
