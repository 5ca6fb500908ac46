internal import Bytes

/// The sections that divide the rows of a listing; empty for one without a title.
///
/// There may be as many as rows: those by a field are not stored, but made from their first rows when they are read.
public struct ListingSections: RandomAccessCollection, Sendable {
    enum Storage: Sendable {
        case stored(ArraySlice<Section>)
        /// By the text of a field: the start of each section, and whether the last is that of the rows without a text.
        case byField(RowField, starts: [UInt32], hasUnmarked: Bool)

        /// The approximate memory use, in bytes.
        var cost: Int {
            switch self {
            case .stored(let sections): sections.reduce(0) { $0 + $1.residentBytes }
            case .byField(_, let starts, _): starts.count * 4
            }
        }
    }

    private let storage: Storage
    private let listing: Listing

    init(_ storage: Storage, of listing: Listing) {
        self.storage = storage
        self.listing = listing
    }

    public var startIndex: Int { 0 }

    public var endIndex: Int {
        switch storage {
        case .stored(let sections): sections.count
        case .byField(_, let starts, _): starts.count
        }
    }

    /// The positions of a section's rows.
    public func rows(_ number: Int) -> Range<Int> {
        switch storage {
        case .stored(let sections):
            let section = sections[sections.startIndex + number]
            return section.start..<section.start + section.count
        case .byField(_, let starts, _):
            return Int(starts[number])..<(number + 1 < starts.count ? Int(starts[number + 1]) : listing.count)
        }
    }

    /// Passes the title, as UTF-8, and the rows of each section without making a `Section`, because there may be a
    /// million.
    ///
    /// - Returns: whether any were passed; only those by a field are.
    public func forEachByField<Failure: Error>(
        _ visit: (_ title: Span<UInt8>?, _ rows: Range<Int>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard case .byField(let field, let starts, let hasUnmarked) = storage, let level = listing.level,
            case .numbers(let numbers) = listing.rows, !starts.isEmpty
        else { return false }
        let bytes = level.bytes
        for (number, start) in starts.enumerated() {
            let rows = Int(start)..<(number + 1 < starts.count ? Int(starts[number + 1]) : numbers.count)
            let row = Row(in: bytes.span, number: Int(numbers[rows.lowerBound]))
            let value = hasUnmarked && number == starts.count - 1 ? nil : field.value(of: row, in: bytes.span)
            switch value {
            case nil: try visit(nil, rows)
            case .text(let range): try visit(bytes.span.extracting(range), rows)
            case .some(let value):
                guard let text = value.text(in: bytes.span) else { continue }
                try visit(text.span, rows)
            }
        }
        return true
    }

    public subscript(number: Int) -> Section {
        switch storage {
        case .stored(let sections): return sections[sections.startIndex + number]
        case .byField(let field, let starts, let hasUnmarked):
            let rows = rows(number)
            let title =
                hasUnmarked && number == starts.count - 1
                ? nil : field.text(of: listing.place(at: rows.lowerBound), in: listing)
            return Section(title: title.map { String(utf8: $0.span) }, start: rows.lowerBound, count: rows.count)
        }
    }
}
