import DrilldownClient
import Foundation
import Testing

/// An item of a file, made from the file alone by the rules of the manual.
struct FileItem: Hashable {
    var title: String
    var key: String
    var fields: [FileValue.Member]
    var sections: [Section] = []

    struct Section: Hashable {
        var title: String?
        var index: String?
        var footer: String?
        var items: [FileItem]
    }

    /// The root item of a document.
    init(document file: URL) throws {
        try self.init(FileValue(file: file), in: file.deletingLastPathComponent())
        if title.isEmpty { title = "Root" }
        key = ""
    }

    /// - Parameter folder: the folder of the document.
    init(_ value: FileValue, in folder: URL) throws {
        let structure = ["Rows", "Children", "Sections", "SectionKeys", "SectionTitles", "Records"]
        fields = value.text.map { [.init(name: "Title", value: .text($0))] } ?? []
        fields += value.members.filter { !structure.contains($0.name) }
        title = value.text ?? value["Title"]?.text ?? ""
        if let source = value["Source"]?.text {
            let mounted = try FileItem(document: folder.appendingPathComponent(source))
            fields += mounted.fields.filter { value[$0.name] == nil }
            if title.isEmpty { title = mounted.title }
            sections = mounted.sections
        } else if let table = value["Records"]?.text {
            let records = try FileTable(folder.appendingPathComponent(table)).records
            let names = (value["DrillBy"]?.elements ?? []).compactMap(\.text)
            sections = [Section(items: Self.drill(records, by: names[...]))]
        } else if let children = value["Rows"] ?? value["Children"] {
            sections = try Self.sections(of: children, titles: [], in: folder)
        } else if let children = value["Sections"] {
            if let order = value["SectionKeys"]?.elements {
                let names = order.compactMap(\.text)
                let lists = names.map { children[$0] ?? .list([]) }
                sections = try Self.sections(of: .list(lists), titles: names, in: folder)
            } else {
                let titles = (value["SectionTitles"]?.elements ?? []).compactMap(\.text)
                sections = try Self.sections(of: children, titles: titles, in: folder)
            }
        }
        key = value["Key"]?.text ?? title
    }

    init(title: String, key: String? = nil, fields: [FileValue.Member], sections: [Section] = []) {
        self.title = title
        self.key = key ?? title
        self.fields = fields
        self.sections = sections
    }

    /// The sections of children: items, lists of items, or dictionaries.
    private static func sections(of children: FileValue, titles: [String], in folder: URL) throws -> [Section] {
        let isList = children.elements.allSatisfy { if case .list = $0 { true } else { false } }
        let isDivided = children.elements.allSatisfy { $0["Rows"] != nil && $0["Footer"] ?? $0["Index"] != nil }
        if isList || isDivided {
            return try children.elements.enumerated().map { number, section in
                let items = isList ? section.elements : section["Rows"]?.elements ?? []
                return Section(
                    title: section["Title"]?.text ?? (titles.indices.contains(number) ? titles[number] : nil),
                    index: section["Index"]?.text, footer: section["Footer"]?.text,
                    items: try items.map { try FileItem($0, in: folder) })
            }
        }
        return [Section(items: try children.elements.map { try FileItem($0, in: folder) })]
    }

    /// Records below an item for each value of each field, in order of first appearance.
    private static func drill(_ records: [FileValue], by names: ArraySlice<String>) -> [FileItem] {
        guard let name = names.first else {
            return records.map { FileItem(title: $0["Title"]?.text ?? "", fields: $0.members) }
        }
        var groups: [(text: String, records: [FileValue])] = []
        for record in records {
            let text = record[name]?.text ?? ""
            let title = text.isEmpty ? "(none)" : text
            if let position = groups.firstIndex(where: { $0.text == title }) {
                groups[position].records.append(record)
            } else {
                groups.append((title, [record]))
            }
        }
        return groups.map { text, records in
            FileItem(
                title: text, fields: [.init(name: "Title", value: .text(text))],
                sections: [Section(items: drill(records, by: names.dropFirst()))])
        }
    }
}

/// A table as RFC 4180 says, read character by character.
struct FileTable {
    let records: [FileValue]

    init(_ file: URL) throws {
        var lines: [[String]] = []
        var line: [String] = []
        var cell = ""
        var isQuoted = false
        var last: Character?
        for character in try String(contentsOf: file, encoding: .utf8) {
            switch character {
            case "\"":
                // A quote that follows the one that ended the cell stands for itself.
                if !isQuoted, last == "\"" { cell.append("\"") }
                isQuoted.toggle()
            case "," where !isQuoted:
                line.append(cell)
                cell = ""
            case "\n" where !isQuoted, "\r\n" where !isQuoted:
                lines.append(line + [cell])
                (line, cell) = ([], "")
            default: cell.append(character)
            }
            last = character
        }
        let names = try #require(lines.first)
        records = lines.dropFirst().map { cells in
            .dictionary(zip(names, cells).map { FileValue.Member(name: $0, value: .text($1)) })
        }
    }
}
