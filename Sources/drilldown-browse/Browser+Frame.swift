import DrilldownClient

extension Browser {
    /// The content of the screen.
    func frame() -> Frame {
        var frame = Frame()
        frame.lines.append(heading)
        frame.lines += body
        let status = statusLines
        while frame.lines.count < size.lines - status.count { frame.lines.append(StyledText()) }
        frame.lines += status
        frame.lines = frame.lines.prefix(size.lines).map { $0.clipped(to: size.columns) }
        if isTyping {
            frame.cursor = Frame.Position(line: size.lines - 1, column: min(prompt.columns, size.columns - 1))
        }
        return frame
    }

    // MARK: Heading

    private var heading: StyledText {
        var left = StyledText(text: " ", style: .reverse)
        for title in place.ancestors.map(\.title) { left.append("\(title) › ", style: .reverse) }
        left.append(place.title ?? place.path.lastKey ?? address, style: [.reverse, .bold])
        var right = StyledText()
        if let count = place.level?.count { right.append(count == 1 ? "1 row " : "\(count) rows ", style: .reverse) }
        if let position = place.detail?.position {
            right.append("\(position.index + 1) of \(position.count) ", style: .reverse)
        }
        // If the path is too long, only its last title is shown.
        let room = size.columns - right.columns - 1
        if left.columns > room, let title = left.runs.last {
            var short = StyledText(text: " … › ", style: .reverse)
            short.append(title.text, style: title.style)
            left = short
        }
        return left.aligned(with: right, columns: size.columns, fill: .reverse)
    }

    // MARK: Body

    private var body: [StyledText] {
        if showsKeys { return Self.keyLines }
        if let refusal = place.refusal { return [StyledText()] + paragraph(refusal) }
        switch place.kind {
        case .detail: return Array(detailLines.dropFirst(place.top).prefix(bodyLines))
        case .level: return levelLines
        }
    }

    private static let keyLines =
        [StyledText()] + BrowseArguments.keys.split(separator: "\n").map { StyledText(text: "  \($0)") }

    private var levelLines: [StyledText] {
        guard let level = place.level else { return [StyledText(text: "  …", style: .dim)] }
        if let error = level.error { return [StyledText()] + paragraph(error) }
        if place.layout.count == 0 {
            return [
                StyledText(), StyledText(text: place.search == nil ? "  No rows." : "  Nothing found.", style: .dim),
            ]
        }
        return (place.top..<place.top + bodyLines).compactMap { number in
            switch place.layout.line(number) {
            case .title(let section): StyledText(text: level.sections[section].title ?? "", style: .bold)
            case .footer(let section): StyledText(text: "  " + (level.sections[section].footer ?? ""), style: .dim)
            case .row(let row): level.rows.indices.contains(row) ? line(of: level.rows[row], at: row) : nil
            case nil: nil
            }
        }
    }

    private func line(of row: Row, at position: Int) -> StyledText {
        var left = StyledText(text: place.changed.contains(row.id) ? "• " : "  ", style: .bold)
        if row.title.isEmpty { left.append("(no title)", style: .dim) } else { left.append(row.title) }
        if let subtitle = row.fields["Subtitle"] { left.append("  \(FieldLines.short(subtitle))", style: .dim) }
        if let trail = row.trail, !trail.isEmpty { left.append("  \(trail.joined(separator: " › "))", style: .dim) }
        var right = StyledText()
        if let value = row.control?.value ?? row.fields["Value"] { right.append(FieldLines.short(value) + " ") }
        if row.error != nil { right.append("! ", style: .bold) }
        right.append(row.isLeaf ? "  " : "\(row.count) › ", style: .dim)
        let line = left.aligned(with: right, columns: size.columns)
        return position == place.selection ? line.adding(.reverse) : line
    }

    var detailLines: [StyledText] {
        guard let detail = place.detail else { return [StyledText(text: "  …", style: .dim)] }
        let error = detail.error.map(paragraph) ?? []
        return [StyledText()] + error + FieldLines.lines(of: detail.fields, columns: size.columns)
    }

    private func paragraph(_ text: String) -> [StyledText] {
        Self.wrapped(text, columns: size.columns - 4).map { StyledText(text: "  \($0)") }
    }

    // MARK: Status line

    private var prompt: StyledText { StyledText(text: "/\(place.search ?? "")") }

    /// The lines below the body: usually the status line. If there is trouble, they are the lines of `trouble`,
    /// followed by the prompt while the user types.
    var statusLines: [StyledText] {
        guard size.lines > 1 else { return [] }
        guard let trouble else { return [status] }
        let lines = Self.wrapped(trouble, columns: size.columns - 1).map { StyledText(text: " \($0)", style: .bold) }
        return (lines + (isTyping ? [status] : [])).suffix(size.lines - 1)
    }

    private var status: StyledText {
        if showsKeys { return StyledText(text: " Press any key to continue.", style: .dim) }
        if isTyping {
            return prompt.aligned(with: StyledText(text: "⏎ done  esc end ", style: .dim), columns: size.columns)
        }
        var right = StyledText()
        if place.isKept { right.append("kept from earlier ", style: .dim) }
        if let news { right.append("• \(news) ", style: .bold) }
        var left = StyledText()
        if let search = place.search { left.append(" /\(search) ", style: .bold) }
        let keys = place.kind == .level ? " ↑↓ move  → open  ← back  / search" : " ↑↓ scroll  ← back"
        left.append(keys + "  ? keys  q leave", style: .dim)
        // News is more important than the keys.
        return right.columns > 0 && left.columns + right.columns >= size.columns
            ? right : left.aligned(with: right, columns: size.columns)
    }

    /// Divides a text into lines of at most `columns` columns (at least 8), at spaces if possible.
    static func wrapped(_ text: String, columns: Int) -> [String] {
        let columns = max(8, columns)
        var lines: [String] = []
        for paragraph in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var line = ""
            var used = 0
            for character in DisplayText(paragraph).description {
                let width = DisplayWidth.columns(of: character)
                if used + width > columns {
                    let end = line.lastIndex(of: " ").map { line.index(after: $0) } ?? line.endIndex
                    lines.append(String(line[..<end]))
                    line = String(line[end...])
                    used = DisplayWidth.columns(of: line)
                }
                line.append(character)
                used += width
            }
            lines.append(line)
        }
        return lines
    }
}

/// The fields of an item as lines of text.
enum FieldLines {
    private static let mostDepth = 16

    static func short(_ value: FieldValue) -> String {
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let flag): flag ? "yes" : "no"
        case .list(let values): values.count == 1 ? "1 value" : "\(values.count) values"
        case .dictionary(let fields): fields.count == 1 ? "1 field" : "\(fields.count) fields"
        case .null: "none"
        }
    }

    /// Returns lines with the name of each field, and its value on the same line or on the lines below.
    static func lines(of fields: Fields, columns: Int, depth: Int = 1) -> [StyledText] {
        fields.flatMap { lines(named: $0.name, $0.value, columns: columns, depth: depth) }
    }

    private static func lines(named name: String, _ value: FieldValue, columns: Int, depth: Int) -> [StyledText] {
        let indent = String(repeating: " ", count: 2 * min(depth, mostDepth))
        var first = StyledText(text: indent)
        first.append(name, style: .bold)
        switch value {
        case .list(let values) where !values.isEmpty && depth < mostDepth:
            return [first]
                + values.enumerated().flatMap { lines(named: "\($0 + 1)", $1, columns: columns, depth: depth + 1) }
        case .dictionary(let fields) where !fields.isEmpty && depth < mostDepth:
            return [first] + lines(of: fields, columns: columns, depth: depth + 1)
        default:
            let text = short(value)
            let beside = Browser.wrapped(text, columns: columns - first.columns - 3)
            if beside.count == 1 {
                first.append("  \(beside[0])")
                return [first]
            }
            let below = Browser.wrapped(text, columns: columns - indent.count - 3)
            return [first] + below.map { StyledText(text: "\(indent)  \($0)") }
        }
    }
}
