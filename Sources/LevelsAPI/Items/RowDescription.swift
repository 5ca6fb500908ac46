import Bytes
import Levels
import PropertyLists

/// What the answer about a level shows of its rows. Rows are both written and compared from it.
struct RowDescription {
    let listing: Listing
    /// The fields that each row shows.
    let fields: FieldSelection

    init(_ listing: Listing, _ fields: FieldSelection) {
        self.listing = listing
        self.fields = fields
    }

    /// Writes the rows at these positions, in time linear in their number.
    ///
    /// - Parameter links: the links of the item that the answer is about.
    func write<Writer: AnswerWriter & ~Copyable>(
        _ positions: Range<Int>, _ links: borrowing Links, to writer: inout Writer
    ) throws(PropertyListError) {
        guard let level = listing.level else { return }
        switch listing.rows {
        case .level:
            let prefixes = RowPrefixes(links)
            for number in positions { try write(number, of: level, prefixes, nil, to: &writer) }
        case .numbers(let numbers):
            let prefixes = RowPrefixes(links)
            for position in positions { try write(Int(numbers[position]), of: level, prefixes, nil, to: &writer) }
        case .places, .part, .items:
            var prefixes = RowPrefixes(links)
            for position in positions {
                let place = listing.place(at: position)
                if place.branch != prefixes.branch { prefixes = RowPrefixes(links, for: place, in: listing) }
                guard let level = listing.level(of: place) else { continue }
                try write(place.row, of: level, prefixes, RowExtras(listing, position), to: &writer)
            }
        }
    }

    /// Writes one row; only this function names its members.
    private func write<Writer: AnswerWriter & ~Copyable>(
        _ number: Int, of level: Level, _ prefixes: borrowing RowPrefixes, _ extras: RowExtras?, to writer: inout Writer
    ) throws(PropertyListError) {
        let array = level.bytes
        let bytes = array.span
        let row = Row(in: bytes, number: number)
        let count = level.childCount(number)
        writer.beginObject()
        // The hash begins after the separating comma, so that a row keeps its version when it becomes the first.
        let start = writer.count
        try writer.member("key", bytes.extracting(row.key))
        writer.member("version")
        let versionOffset = writer.placeholder(Version.shortPlaceholder)
        if case .all = fields { writer.fieldsVersion(of: row, in: bytes) }
        try writer.member("title", bytes.extracting(row.title))
        writer.member("leaf", count == 0)
        writer.member("count", count)
        writer.member("href", link: prefixes.prefix(isLeaf: count == 0), key: bytes.extracting(row.key))
        writer.member("fields")
        writer.beginObject()
        try RowFields.tell(fields, of: row, in: bytes, to: &writer)
        writer.endObject()
        if row.isControl { try RowControl.write(row, in: bytes, to: &writer) }
        if let extras { try extras.write(to: &writer) }
        if count == 0, let refusal = level.child(number)?.refusal { try writer.member("error", refusal) }
        writer.endObject()
        writer.fillShortVersion(at: versionOffset, hash: writer.shortHash(since: start))
    }

    /// Whether the row at a position shows the same as a row of another listing of the same item at another time.
    ///
    /// - Parameter links: the links of the item, which are the same at both times.
    /// - Throws: `PropertyListError` for text that the format cannot represent.
    func shows<Writer: AnswerWriter & ~Copyable>(
        at position: Int, sameAs other: RowDescription, at otherPosition: Int, _ links: borrowing Links,
        as _: Writer.Type
    ) throws(PropertyListError) -> Bool {
        if readsTheSame(at: position, as: other, at: otherPosition) { return true }
        let shown = try written(at: position, links, as: Writer.self)
        return try shown == other.written(at: otherPosition, links, as: Writer.self)
    }

    /// Whether everything that `write` reads of two rows is equal; if so, what they show is too.
    private func readsTheSame(at position: Int, as other: RowDescription, at otherPosition: Int) -> Bool {
        guard case .none = listing.extras, case .none = other.listing.extras else { return false }
        let (place, otherPlace) = (listing.place(at: position), other.listing.place(at: otherPosition))
        guard let level = listing.level(of: place), let otherLevel = other.listing.level(of: otherPlace) else {
            return false
        }
        return level.childCount(place.row) == otherLevel.childCount(otherPlace.row)
            && level.child(place.row)?.refusal == otherLevel.child(otherPlace.row)?.refusal
            && level.packsRow(place.row, asRow: otherPlace.row, of: otherLevel)
    }

    private func written<Writer: AnswerWriter & ~Copyable>(
        at position: Int, _ links: borrowing Links, as _: Writer.Type
    ) throws(PropertyListError) -> [UInt8] {
        var writer = Writer()
        try write(position..<position + 1, links, to: &writer)
        let body = try writer.body()
        return Array(copying: body.span)
    }
}

/// The members that describe the place of a row among rows of several levels.
struct RowExtras {
    private let listing: Listing
    private let position: Int

    init(_ listing: Listing, _ position: Int) {
        self.listing = listing
        self.position = position
    }

    /// Writes the members that rows of this listing have in addition to those of every row.
    func write<Writer: AnswerWriter & ~Copyable>(to writer: inout Writer) throws(PropertyListError) {
        switch listing.extras {
        case .none: break
        case .trail: try writeTrail(to: &writer)
        case .outline: writeOutline(to: &writer)
        }
    }

    private func writeTrail<Writer: AnswerWriter & ~Copyable>(to writer: inout Writer) throws(PropertyListError) {
        writer.member("trail")
        writer.beginList()
        for step in listing.rows(above: listing.place(at: position)) {
            let bytes = step.level.bytes
            try writer.text(bytes.span.extracting(step.level.row(step.row).title))
        }
        writer.endList()
    }

    private func writeOutline<Writer: AnswerWriter & ~Copyable>(to writer: inout Writer) {
        let place = listing.place(at: position)
        writer.member("indent", listing.indent(of: place))
        writer.member("expanded", listing.isExpanded(at: position))
        let isAtEnd = listing.isAtEnd(place)
        writer.member("first", isAtEnd.first)
        writer.member("last", isAtEnd.last)
    }
}
