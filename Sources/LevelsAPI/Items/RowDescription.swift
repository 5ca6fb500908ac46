import Bytes
import Levels
import PropertyLists

/// The rows in the answer about a level. Both writing and comparing rows use this type.
struct RowDescription {
    let page: RowPage
    let fields: FieldSelection
    /// The links to the records to which rows refer, in the order of `RowReferences.links`.
    private let recordLinks: [[UInt8]]

    /// - Parameter basePath: the path under which a proxy serves the service; empty without such a path.
    init(page: RowPage, fields: FieldSelection, under basePath: String = "") {
        (self.page, self.fields) = (page, fields)
        recordLinks =
            page.references?.links.map { Array(copying: Links(keys: $0.path, under: basePath).detail) } ?? []
    }

    /// Writes all rows of the page, in time linear in the number of rows.
    func write(_ links: borrowing Links, to writer: inout some AnswerWriter & ~Copyable) throws(PropertyListError) {
        guard page.isOfOneLevel, recordLinks.isEmpty else { return try write(page.numbers, links: links, to: &writer) }
        let prefixes = RowPrefixes(links)
        try page.forEachRow { (row) throws(PropertyListError) in try write(row, prefixes: prefixes, to: &writer) }
    }

    /// Writes the rows with these numbers.
    func write(
        _ numbers: Range<Int>, links: borrowing Links, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        var prefixes = RowPrefixes(links)
        for number in numbers {
            let branch = page.branch(of: number)
            if branch != prefixes.branch {
                prefixes = RowPrefixes(links: links, branch: branch, below: page.rows(above: number))
            }
            try page.withRow(number) { (row) throws(PropertyListError) in
                try write(row, prefixes: prefixes, extrasOf: number, to: &writer)
            }
        }
    }

    /// Writes one row. Only this function names the members of a row.
    ///
    /// - Parameter number: the number of the row, to add members about the records to which it refers, and about its place
    ///   among rows of several levels; nil to add no such members.
    private func write(
        _ row: borrowing RowView, prefixes: borrowing RowPrefixes, extrasOf number: Int? = nil,
        to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        let (key, count) = (row.key, row.count)
        writer.beginObject()
        // The hash begins after the separating comma, so that a row keeps its version when it becomes the first.
        let start = writer.output.count
        try writer.member("key", key)
        writer.member("version")
        let versionOffset = writer.placeholder(Version.shortPlaceholder)
        if case .all = fields { writer.fieldsVersion(of: row.packed, in: row.bytes) }
        try writer.member("title", row.title)
        writer.member("leaf", row.isLeaf)
        writer.member("count", count)
        if row.isEstimate { try writer.member("counted", "estimate") }
        writer.member("href", link: prefixes.prefix(isLeaf: row.isLeaf), key: key)
        writer.beginObject("fields")
        try RowFields.tell(fields, of: row, to: &writer)
        writer.endObject()
        if row.packed.isControl { try RowControl.write(row.packed, in: row.bytes, to: &writer) }
        if let number {
            try writeReferences(of: number, to: &writer)
            try writeExtras(of: number, to: &writer)
        }
        if let refusal = row.refusal { try writer.member("error", refusal) }
        writer.endObject()
        writer.fillShortVersion(at: versionOffset, hash: writer.shortHash(since: start))
    }

    private func writeReferences(
        of number: Int, to writer: inout some AnswerWriter & ~Copyable
    ) throws(PropertyListError) {
        guard let references = page.references else { return }
        let numbers = references.numbers(ofRow: number)
        guard !numbers.isEmpty else { return }
        writer.beginObject("links")
        for number in numbers {
            let href = recordLinks[Int(number)]
            try references.links[Int(number)].write(href: href.span, to: &writer)
        }
        writer.endObject()
    }

    private func writeExtras(of number: Int, to writer: inout some AnswerWriter & ~Copyable) throws(PropertyListError) {
        switch page.extras {
        case .none: break
        case .trail:
            writer.beginList("trail")
            for step in page.rows(above: number) {
                try step.withRow { (row) throws(PropertyListError) in try writer.string(row.title) }
            }
            writer.endList()
        case .outline:
            let marks = page.outlineMarks(of: number)
            writer.member("indent", marks.indent)
            writer.member("expanded", marks.isExpanded)
            writer.member("first", marks.isFirst)
            writer.member("last", marks.isLast)
        }
    }

    /// Whether a row shows the same content as a row of another page. The pages are about the same item at different
    /// times.
    func shows<Writer: AnswerWriter & ~Copyable>(
        _ number: Int, sameAs other: RowDescription, otherNumber: Int, links: borrowing Links, as _: Writer.Type
    ) throws(PropertyListError) -> Bool {
        if page.hasRow(number, readAs: otherNumber, of: other.page) { return true }
        let shown = try written(number, links: links, as: Writer.self)
        return try shown == other.written(otherNumber, links: links, as: Writer.self)
    }

    private func written<Writer: AnswerWriter & ~Copyable>(
        _ number: Int, links: borrowing Links, as _: Writer.Type
    ) throws(PropertyListError) -> [UInt8] {
        var writer = Writer()
        try write(number..<number + 1, links: links, to: &writer)
        let body = try writer.body()
        return Array(copying: body.span)
    }
}
