internal import Levels
internal import PropertyLists

/// New items with rows that are not new.
extension Splicer {
    /// Writes a new item, and the rows below it as their provenance says.
    func compose(
        _ new: Item.Step, _ runs: [Provenance.Run]?, _ writer: inout FragmentWriter,
        at place: Place
    ) throws(PropertyListError) {
        let nowhere = SourcePosition.byte(offset: 0)
        switch new.written {
        case .string(let title): try writer.string(title.span)
        case .array: try composeRows(new, runs, &writer)
        case .dictionary(let fields):
            writer.beginDictionary(at: nowhere)
            for field in fields {
                try writer.key(field.name.span, at: nowhere)
                if field.form == nil {
                    try field.tell(to: &writer)
                } else {
                    try composeRows(new, runs, &writer)
                }
            }
            try writer.endDictionary()
        }
    }

    /// Writes the rows below an item, or its sections.
    func composeRows(
        _ new: Item.Step, _ runs: [Provenance.Run]?, _ writer: inout FragmentWriter
    ) throws(PropertyListError) {
        let nowhere = SourcePosition.byte(offset: 0)
        let form = new.writtenForm
        if form?.isDrilled == true { throw .contradictoryEdit }
        guard form != .rows, let level = new.below else {
            return try composeArray(new.writtenSections.first?.rows ?? 0..<0, new, runs, &writer)
        }
        if form == .namedSections { writer.beginDictionary(at: nowhere) } else { writer.beginArray(at: nowhere) }
        for section in level.writtenSections {
            if form == .namedSections { try writer.key(section.name.span, at: nowhere) }
            guard let fields = section.fields else {
                try composeArray(section.rows, new, runs, &writer)
                continue
            }
            writer.beginDictionary(at: nowhere)
            for field in fields {
                try writer.key(field.name.span, at: nowhere)
                if field.form == nil {
                    try field.tell(to: &writer)
                } else {
                    try composeArray(section.rows, new, runs, &writer)
                }
            }
            try writer.endDictionary()
        }
        if form == .namedSections { try writer.endDictionary() } else { try writer.endArray() }
    }

    /// Writes an array of some of the rows below an item.
    func composeArray(
        _ rows: Range<Int>, _ new: Item.Step, _ runs: [Provenance.Run]?,
        _ writer: inout FragmentWriter
    ) throws(PropertyListError) {
        writer.beginArray(at: .byte(offset: 0))
        if let level = new.below {
            var start = 0
            for run in runs ?? [.same(0..<level.writtenRowCount)] {
                for row in (start..<start + run.count).clamped(to: rows) {
                    let step = Item.Step(level: level, row: row)
                    guard case .row(let provenance) = run else {
                        var walk = TreeWalk(level, row: row)
                        try walk.finish(to: &writer)
                        continue
                    }
                    writer.beginElement()
                    flush(&writer)
                    var style = writer.style
                    style.indent = writer.indent
                    try write(step, by: provenance, at: Place(style: style, lineIndent: style.indent))
                }
                start += run.count
            }
        }
        try writer.endArray()
    }
}
