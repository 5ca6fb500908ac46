public import Foundation

/// A field that does not fit the type as which an app reads it.
///
/// ```swift
/// print(error)  // The field 'Price' of /Lunch/Soup holds "a lot", but a value of the type Double was expected.
/// ```
public struct FieldError: Error, Hashable, Sendable {
    /// The path of the item.
    public let path: ItemPath
    /// The name of the field; for a value within the field, its path: `properties.name`, `Tags[2]`.
    public let field: String
    /// The value that does not fit; nil if the field is missing.
    public let value: FieldValue?
    /// The reason, as the end of a sentence.
    private let reason: String

    init(_ error: DecodingError, in fields: Fields, of path: ItemPath) {
        self.path = path
        let keys: [any CodingKey]
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            keys = context.codingPath
            reason = "but a value of the type \(type) was expected"
        case .keyNotFound(let key, let context):
            keys = context.codingPath + [key]
            reason = "it is missing"
        case .dataCorrupted(let context):
            keys = context.codingPath
            reason = "but it is not valid: \(context.debugDescription)"
        @unknown default:
            keys = []
            reason = "\(error)"
        }
        field = keys.reduce("") { name, key in
            if let index = key.intValue { return name + "[\(index)]" }
            return (name.isEmpty ? "" : name + ".") + key.stringValue
        }
        value = keys.reduce(.dictionary(fields)) { value, key in
            guard let index = key.intValue else { return value?.dictionary?.value(named: key.stringValue) }
            // `nil` would mean `FieldValue.null`.
            return value?.list.flatMap { $0.indices.contains(index) ? $0[index] : .none }
        }
    }
}

extension FieldError: CustomStringConvertible {
    /// A sentence with the item, the field, the value and the reason.
    public var description: String {
        guard let value else { return "\(path) has no field '\(field)'." }
        let text = String(decoding: JSONText.bytes(of: value), as: UTF8.self)
        let shown = text.count > 80 ? text.prefix(80) + "…" : text[...]
        let name = field.isEmpty ? "\(path)" : "The field '\(field)' of \(path)"
        return "\(name) holds \(shown), \(reason)\(reason.hasSuffix(".") ? "" : ".")"
    }
}

extension FieldError: LocalizedError {
    /// A sentence with the item, the field, the value and the reason.
    public var errorDescription: String? { description }
}
