import Foundation
import PropertyLists

@testable import TestDocuments

/// The JSON that the manual describes, as the objects that `JSONSerialization` reads, without versions.
enum OracleJSON {
    // MARK: Answers

    static func level(_ item: OracleItem) -> [String: Any] {
        var start = 0
        var sections: [[String: Any]] = []
        let plain = OracleSection(rows: item.rows)
        for section in item.sections.isEmpty ? [plain] : item.sections {
            var object: [String: Any] = [
                "title": orNull(section.title), "index": orNull(section.index), "start": start,
                "count": section.rows.count,
            ]
            if let footer = section.footer { object["footer"] = footer }
            sections.append(object)
            start += section.rows.count
        }
        return [
            "title": item.title, "href": link("/levels/", item), "detail": link("/detail/", item),
            "depth": path(item).count,
            "leaf": item.isLeaf, "ancestors": ancestors(item), "count": item.rows.count, "sections": sections,
            "rows": item.rows.map(row), "next": NSNull(), "after": NSNull(),
        ]
    }

    private static func row(_ item: OracleItem) -> [String: Any] {
        return [
            "key": item.key, "title": item.title, "leaf": item.isLeaf, "count": item.rows.count,
            "href": link(item.isLeaf ? "/detail/" : "/levels/", item),
            "fields": dictionary(item.fields.filter(isShownUnasked)),
        ]
    }

    /// Whether a field is a short value, and neither the title nor the key.
    private static func isShownUnasked(_ field: Value.Entry) -> Bool {
        guard !["Title", "Key"].contains(field.key) else { return false }
        switch field.value {
        case .string(let text): return text.utf8.count <= 256
        case .integer, .real, .boolean, .date: return true
        default: return false
        }
    }

    static func detail(_ item: OracleItem) -> [String: Any] {
        let siblings = item.parent?.rows ?? [item]
        var start = 0
        let section = item.parent?.sections.firstIndex { section in
            start += section.rows.count
            return item.index < start
        }
        return [
            "title": item.title, "href": link("/detail/", item), "level": link("/levels/", item),
            "depth": path(item).count,
            "leaf": item.isLeaf, "count": item.rows.count, "ancestors": ancestors(item),
            "position": [
                "index": item.index, "of": siblings.count, "section": section ?? 0, "first": item.index == 0,
                "last": item.index == siblings.count - 1,
            ] as [String: Any],
            "previous": neighbour(item.index > 0 ? siblings[item.index - 1] : nil),
            "next": neighbour(item.index + 1 < siblings.count ? siblings[item.index + 1] : nil),
            "firstChild": neighbour(item.rows.first), "lastChild": neighbour(item.rows.last),
            "fields": dictionary(item.fields),
        ]
    }

    private static func neighbour(_ item: OracleItem?) -> Any {
        item.map { ["title": $0.title, "href": link("/detail/", $0)] } ?? NSNull()
    }

    private static func ancestors(_ item: OracleItem) -> [[String: Any]] {
        var list: [[String: Any]] = []
        var next = item.parent
        while let ancestor = next {
            list.insert(["title": ancestor.title, "href": link("/levels/", ancestor)], at: 0)
            next = ancestor.parent
        }
        return list
    }

    private static func orNull(_ text: String?) -> Any { text ?? NSNull() }

    // MARK: Links

    static func link(_ prefix: String, _ item: OracleItem) -> String { prefix + path(item).joined(separator: "/") }

    /// The keys from the root on, encoded.
    private static func path(_ item: OracleItem) -> [String] {
        guard let parent = item.parent else { return [] }
        let digits = Array("0123456789ABCDEF")
        let segment = item.key.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 128 && (character.isLetter || character.isNumber || "-._~".contains(character))
            return isPlain ? "\(character)" : "%\(digits[Int(byte / 16)])\(digits[Int(byte % 16)])"
        }
        return path(parent) + [segment.joined()]
    }

    // MARK: Values

    static func value(_ value: Value) -> Any {
        switch value {
        case .string(let text): return text
        case .integer(let value) where value.isNegative: return NSNumber(value: Int64(bitPattern: value.bits))
        case .integer(let value): return NSNumber(value: value.bits)
        case .real(let value) where value.isNaN: return "nan"
        case .real(let value) where value.isInfinite: return value < 0 ? "-infinity" : "+infinity"
        case .real(let value): return NSNumber(value: value)
        case .boolean(let value): return NSNumber(value: value)
        case .date(let seconds): return date(seconds)
        case .data(let bytes): return Data(bytes).base64EncodedString()
        case .uid(let value): return ["CF$UID": NSNumber(value: value)]
        case .array(let values): return values.map(Self.value)
        case .dictionary(let entries): return dictionary(entries)
        }
    }

    private static func dictionary(_ entries: [Value.Entry]) -> [String: Any] {
        Dictionary(entries.map { ($0.key, value($0.value)) }) { $1 }
    }

    /// Whole seconds, in the form of RFC 3339.
    static func date(_ seconds: Double) -> String {
        let formatter = ISO8601DateFormatter()
        return formatter.string(from: Date(timeIntervalSinceReferenceDate: seconds))
    }
}
