import Foundation
import PropertyLists

extension Value {
    /// What Foundation reads; nil where it refuses the document.
    init?(readByFoundation bytes: [UInt8]) {
        guard
            let object = unsafe try? PropertyListSerialization.propertyList(
                from: Data(bytes), options: [], format: nil),
            let value = Value(foundation: object)
        else { return nil }
        self = value
    }

    /// A value of an object graph; nil for an object that a property list cannot contain.
    init?(foundation object: Any) {
        switch object {
        case let text as String: self = .string(text)
        case let data as Data: self = .data(Array(data))
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let number as NSNumber: self = Value(number)
        case let list as [Any]: self = .array(list.compactMap(Value.init(foundation:)))
        case let entries as [String: Any]:
            self = .dictionary(entries.compactMap { key, object in Value(foundation: object).map { Entry(key, $0) } })
        default: return nil
        }
    }

    private init(_ number: NSNumber) {
        switch unsafe String(cString: number.objCType) {
        case "c": self = .boolean(number.boolValue)
        case "d", "f": self = .real(number.doubleValue)
        case "Q": self = .integer(PropertyListInteger(number.uint64Value))
        default: self = .integer(PropertyListInteger(number.int64Value))
        }
    }

    /// The object graph that Foundation's writers take.
    var object: Any {
        switch self {
        case .string(let text): text
        case .integer(let value):
            value.isNegative ? NSNumber(value: Int64(bitPattern: value.bits)) : NSNumber(value: value.bits)
        case .real(let value): NSNumber(value: value)
        case .boolean(let value): value
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): Data(bytes)
        case .uid(let value): ["CF$UID": NSNumber(value: value)]
        case .array(let values): values.map(\.object)
        case .dictionary(let entries): Dictionary(entries.map { ($0.key, $0.value.object) }) { $1 }
        }
    }
}
