import Bytes
import Levels
import PropertyLists

@testable import TestDocuments

/// The expected levels of a table, by plain code: filter and compare, one record after the other.
struct RecordModel {
    let fields: [String]
    let titleField: String

    /// An item and those below it.
    struct Node: Equatable {
        let title: [UInt8]
        let fields: Value
        let below: [Node]
    }

    func nodes(of records: [[Value.Entry]]) -> [Node] {
        nodes(of: records.enumerated().map { ($0 + 1, $1) }, fields[...])
    }

    private func nodes(of records: [(number: Int, entries: [Value.Entry])], _ left: ArraySlice<String>) -> [Node] {
        guard let field = left.first else {
            return records.map { number, entries in
                let text = text(of: titleField, in: entries)
                return Node(
                    title: Array((text.isEmpty ? "\(number)" : text).utf8), fields: .dictionary(entries), below: [])
            }
        }
        var texts: [String] = []
        // Two texts are equal in Swift if they are the same after NFC.
        for record in records where !texts.contains(shown(field, in: record.entries)) {
            texts.append(shown(field, in: record.entries))
        }
        return texts.map { text in
            let below = records.filter { shown(field, in: $0.entries) == text }
            return Node(
                title: Array(text.utf8), fields: .dictionary([Value.Entry("Title", .string(text))]),
                below: nodes(of: below, left.dropFirst()))
        }
    }

    private func shown(_ field: String, in entries: [Value.Entry]) -> String {
        let text = text(of: field, in: entries)
        return text.isEmpty ? "(none)" : text
    }

    private func text(of field: String, in entries: [Value.Entry]) -> String {
        switch entries.first(where: { $0.key == field })?.value {
        case nil: return ""
        case .string(let text)?: return text
        case let value?:
            var writer = JSONPropertyListWriter()
            // A JSON writer accepts every value.
            do { try value.tell(to: &writer) } catch { return "\(error)" }
            let json = String(utf8: writer.output.span)
            return json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : json
        }
    }
}

extension RecordModel.Node {
    /// The items of a level as they are.
    static func all(in level: Level?) throws -> [RecordModel.Node] {
        guard let level else { return [] }
        let bytes = level.bytes
        return try (0..<level.count).map { number in
            let row = level.row(number)
            var reader = ValueReader()
            reader.beginDictionary(at: .byte(offset: 0))
            var packed = PackedReader(bytes: bytes.span, at: row.fields.lowerBound)
            while packed.offset < row.fields.upperBound {
                reader.key(bytes.span.extracting(packed.run()), at: .byte(offset: 0))
                var walk = PackedWalk()
                packed.offset = try walk.tell(bytes.span, at: packed.offset, to: &reader)
            }
            reader.endDictionary()
            return RecordModel.Node(
                title: Array(copying: bytes.span.extracting(row.title)), fields: reader.values[0],
                below: try all(in: level.child(number)))
        }
    }
}
