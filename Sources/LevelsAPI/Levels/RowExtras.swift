import Levels
import PropertyLists

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
