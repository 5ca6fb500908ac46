import Foundation
import Testing

@testable import DrilldownClient

/// A value as Foundation reads it from a file, with its type, and with the members of a dictionary in the file's order.
enum FileValue: Hashable {
    case text(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case list([FileValue])
    case dictionary([Member])

    struct Member: Hashable {
        let name: String
        let value: FileValue
    }

    /// Reads a property list or JSON.
    init(file: URL) throws {
        let data = try Data(contentsOf: file)
        let text = String(decoding: data, as: UTF8.self)
        if file.pathExtension == "json" {
            var names = text.matches(of: /"([^"\\]*)"\s*:/).map { String($0.1) }[...]
            self = try Self(JSONSerialization.jsonObject(with: data), &names)
        } else {
            self = try Self(propertyList: data)
        }
    }

    init(propertyList data: Data) throws {
        let text = String(decoding: data, as: UTF8.self)
        var names = text.matches(of: /<key>([^<&]*)<\/key>/).map { String($0.1) }[...]
        self = try unsafe Self(PropertyListSerialization.propertyList(from: data, format: nil), &names)
        try #require(names.isEmpty)
    }

    /// - Parameter names: the names of all members that are still to come, in the order of the file.
    private init(_ object: Any, _ names: inout ArraySlice<String>) throws {
        if let members = object as? [String: Any] {
            var read: [Member] = []
            while read.count < members.count {
                let next = names.popFirst()
                let name = try #require(next)
                let value = try #require(members[name])
                read.append(Member(name: name, value: try Self(value, &names)))
            }
            self = .dictionary(read)
        } else if let elements = object as? [Any] {
            var list: [FileValue] = []
            for element in elements { list.append(try Self(element, &names)) }
            self = .list(list)
        } else if let text = object as? String {
            self = .text(text)
        } else if let date = object as? Date {
            self = .date(date)
        } else if let data = object as? Data {
            self = .data(data)
        } else {
            self = Self(try #require(object as? NSNumber))
        }
    }

    private init(_ number: NSNumber) {
        self =
            switch unsafe String(cString: number.objCType) {
            case "c", "B": .boolean(number.boolValue)
            case "d", "f": .real(number.doubleValue)
            default: .integer(number.int64Value)
            }
    }

    /// The value that the client read, by the property of the expected type; nil if it has another type.
    init?(_ value: FieldValue, as expected: FileValue) {
        let read: FileValue? =
            switch (value, expected) {
            case (.text, .date): value.date.map(FileValue.date)
            case (.text, .data): value.data.map(FileValue.data)
            case (.text(let text), _): .text(text)
            case (.integer(let number), _): .integer(number)
            case (.real(let number), _): .real(number)
            case (.boolean(let flag), _): .boolean(flag)
            case (.list(let elements), .list(let expected)) where elements.count == expected.count:
                .list(zip(elements, expected).compactMap { FileValue($0, as: $1) })
            case (.dictionary(let fields), .dictionary(let expected)): .dictionary(Self.members(fields, as: expected))
            default: nil
            }
        guard let read else { return nil }
        self = read
    }

    /// The fields in their order, without fields that are not read as expected.
    static func members(_ fields: Fields, as expected: [Member]) -> [Member] {
        fields.compactMap { name, value in
            let type = expected.first { $0.name == name }?.value ?? .text("")
            return FileValue(value, as: type).map { Member(name: name, value: $0) }
        }
    }

    subscript(name: String) -> FileValue? { members.first { $0.name == name }?.value }

    var members: [Member] {
        guard case .dictionary(let members) = self else { return [] }
        return members
    }

    var elements: [FileValue] {
        guard case .list(let elements) = self else { return [] }
        return elements
    }

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}
