import Levels
import PropertyLists

/// The query of a target, taken apart: each name once, percent-decoded, `+` read as a space.
struct Query {
    private(set) var parameters: [(name: String, value: String)] = []

    static let empty = Query()

    private init() {}

    /// - Throws: `Problem` (400) for a name that comes twice or text that is not percent-encoded UTF-8.
    init(_ text: Span<UInt8>) throws(Problem) {
        var start = 0
        while start < text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: "&") { end += 1 }
            if end > start { try add(text.extracting(start..<end)) }
            start = end + 1
        }
    }

    private mutating func add(_ part: Span<UInt8>) throws(Problem) {
        var equals = 0
        while equals < part.count, part[equals] != UInt8(ascii: "=") { equals += 1 }
        guard let name = Self.decode(part.extracting(0..<equals)),
            let value = Self.decode(part.extracting(min(equals + 1, part.count)..<part.count))
        else {
            throw .badParameter(
                String(utf8: part), "The query part '\(quoted: part)' is not percent-encoded UTF-8.")
        }
        guard !parameters.contains(where: { $0.name == name }) else {
            throw .badParameter(name, "The parameter '\(quoted: name)' stands twice; give it once.")
        }
        parameters.append((name, value))
    }

    private static func decode(_ text: Span<UInt8>) -> String? {
        guard var bytes = PercentEncoding.decode(text) else { return nil }
        // A plus that was percent-encoded is a plus: only where none was decoded can all be replaced at once.
        if !text.isEmpty, text.contains(UInt8(ascii: "+")) {
            bytes = PercentEncoding.decode(spaced(text).span) ?? bytes
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func spaced(_ text: Span<UInt8>) -> [UInt8] {
        var bytes = Array(copying: text)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "+") { bytes[index] = UInt8(ascii: " ") }
        return bytes
    }

    /// The same without one parameter.
    func without(_ name: String) -> Query {
        var query = self
        query.parameters.removeAll { $0.name == name }
        return query
    }

    /// A parameter's value; nil where it is not given.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Refuses every parameter that is not among those allowed.
    ///
    /// - Throws: `Problem` (400) that names the parameter, those that there are, and the nearest of them.
    func allow(_ names: [String]) throws(Problem) {
        for (name, _) in parameters where !names.contains(name) {
            let near = EditDistance.nearest(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
            let list =
                switch names.count {
                case 0: "there are none here"
                case 1: "there is only \(names[0])"
                default: "there are " + names.joined(separator: ", ")
                }
            throw .badParameter(name, "There is no parameter '\(quoted: name)'; \(list).\(near)", allowed: names)
        }
    }
}

extension Span<UInt8> {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        for index in indices where self[index] == byte { return true }
        return false
    }
}
