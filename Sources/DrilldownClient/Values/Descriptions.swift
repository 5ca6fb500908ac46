// The texts that `print` shows: the content of a value, in a few words.

extension FieldValue: CustomStringConvertible {
    /// The text itself; any other value as JSON.
    public var description: String { text ?? String(decoding: JSONText.bytes(of: self), as: UTF8.self) }
}

extension Fields: CustomStringConvertible {
    /// The fields as JSON, in their order.
    public var description: String { FieldValue.dictionary(self).description }
}

extension Row: CustomStringConvertible {
    /// The title, the number of rows below, and the fields: `Item 4 (1 row) {"Subtitle":"red"}`.
    public var description: String {
        Self.description(title.isEmpty ? key : title, count: isLeaf ? nil : count, fields: fields)
    }

    fileprivate static func description(_ title: String, count: Int?, fields: Fields) -> String {
        let rows = count.map { $0 == 1 ? " (1 row)" : " (\($0) rows)" } ?? ""
        return title + rows + (fields.isEmpty ? "" : " \(fields)")
    }
}

extension Detail: CustomStringConvertible {
    /// The title, the number of rows below, and the fields.
    public var description: String { Row.description(title, count: isLeaf ? nil : count, fields: fields) }
}

extension Level: CustomStringConvertible {
    /// The title and the number of rows, then a line for each row, below the title of the row's section.
    public var description: String {
        let all = count == 1 ? "1 row" : "\(count) rows"
        var lines = [isWhole ? "\(title): \(all)" : "\(title): rows \(start) to \(lastShown) of \(count)"]
        for section in sections {
            let rows = rows(in: section)
            if let title = section.title, !rows.isEmpty { lines.append("  \(title)") }
            lines += rows.map { (section.title == nil ? "  " : "    ") + $0.description }
        }
        return lines.joined(separator: "\n")
    }

    /// The position of the last row of this page.
    private var lastShown: Int { start.saturatingSum(rows.count - 1) }
}

extension ItemLink: CustomStringConvertible {
    /// The title and the path.
    public var description: String { "\(title) (\(path))" }
}
