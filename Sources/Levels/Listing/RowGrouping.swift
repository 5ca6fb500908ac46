import Bytes
import PropertyLists

/// A division of rows into sections.
///
/// `RowGrouping("initial")` makes a section for each first letter. `RowGrouping("Brand")` makes a section for each
/// value of the field `Brand`.
public enum RowGrouping: Sendable, Hashable, CustomStringConvertible {
    /// The sections of the document.
    case document
    /// Sections by the upper-case first letter of the folded title. Titles without a first letter are under `#`.
    case initial
    /// Sections by the text of a field.
    case field(RowField)

    /// - Parameter text: `initial` or the name of a field; empty for the sections of the document.
    public init(_ text: String) {
        switch text {
        case "": self = .document
        case "initial": self = .initial
        default: self = .field(RowField(text))
        }
    }

    /// The text in a query: `initial` or the name of a field; empty for the sections of the document.
    public var description: String {
        switch self {
        case .document: ""
        case .initial: "initial"
        case .field(let field): field.name
        }
    }

    struct Divided {
        /// The positions of the rows, section by section. Within a section, the rows are sorted, or keep their order.
        let positions: [Int]
        let sections: ListingSections.Storage
        /// The hashes that identify the sections, if they are by a field.
        var marks: [UInt64] = []
    }

    /// Divides rows into sections, in O(n). Returns nil if the rows keep their sections.
    ///
    /// - Parameter sort: returns the positions of the rows in order, or nil to keep their order. It is called after the
    ///   sections of all rows are determined. Until then, the rows are read in the order of memory.
    func divide(_ listing: Listing, sort: () -> [Int]? = { nil }) -> Divided? {
        switch self {
        case .document: nil
        case .initial: Self.divideByInitial(listing, sort)
        case .field(let field): Self.divide(listing, by: field, sort)
        }
    }

    /// Divides rows into sections by letter, in the order of the letters' code points. The last section has the titles
    /// without a letter.
    private static func divideByInitial(_ listing: Listing, _ sort: () -> [Int]?) -> Divided {
        var runs = SectionRuns<String>(rows: listing.count)
        var numbers = [Int32?](repeating: nil, count: 128)
        listing.forEachRow { row, bytes in
            let first = row.title.isEmpty ? 0x80 : Int(bytes[row.title.lowerBound])
            if first < 0x80, let number = numbers[first] { return runs.append(number) }
            let letter = InitialLetter.of(bytes.extracting(row.title))
            let number = letter == InitialLetter.other ? SectionRuns<String>.unmarked : runs.number(of: letter)
            if first < 0x80 { numbers[first] = number }
            runs.append(number)
        }
        let letters = runs.marks
        let divided = runs.divided(rows: sort()) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let ends = divided.starts.dropFirst() + [listing.count]
        let sections = zip(divided.numbers, zip(divided.starts, ends)).map { number, rows in
            let letter = number < 0 ? InitialLetter.other : letters[Int(number)]
            return Section(title: letter, index: letter, start: rows.0, count: rows.1 - rows.0)
        }
        return Divided(positions: divided.positions, sections: .stored(sections[...]))
    }

    /// Divides rows into sections by value, in order of first appearance. The last section has the rows without a
    /// value.
    private static func divide(_ listing: Listing, by field: RowField, _ sort: () -> [Int]?) -> Divided {
        var runs = SectionRuns<ContentHash>(rows: listing.count)
        listing.forEachRow { row, bytes in
            let mark = mark(of: field, row: row, in: bytes)
            runs.append(mark.map { runs.number(of: $0) } ?? SectionRuns<ContentHash>.unmarked)
        }
        let marks = runs.marks
        let divided = runs.divided(rows: sort())
        return Divided(
            positions: divided.positions,
            sections: .byField(
                field, starts: divided.starts.map { UInt32($0) }, hasUnmarked: divided.numbers.last == -1),
            marks: divided.numbers.map { $0 < 0 ? unmarked : marks[Int($0)].low })
    }

    // MARK: Sections by a field

    /// Returns the hash that identifies the section of a row: the hash of the field's text in NFC. Nil without a text.
    static func mark(of field: RowField, row: Row, in bytes: Span<UInt8>) -> ContentHash? {
        guard let value = field.value(of: row, in: bytes) else { return nil }
        if case .text(let range) = value { return ContentHash(normalizing: bytes.extracting(range)) }
        guard let text = value.text(in: bytes) else { return nil }
        return ContentHash(normalizing: text.span)
    }

    /// The mark, in place of a hash, of the section of rows without a text.
    static let unmarked: UInt64 = 0
}

/// Gathers rows into sections by marks. Rows without a mark are the last section.
struct SectionRuns<Mark: Hashable> {
    /// The section number of each row.
    private var numbers: [Int32] = []
    private var known: [Mark: Int32] = [:]
    private(set) var marks: [Mark] = []

    /// The section number of rows without a mark.
    static var unmarked: Int32 { -1 }

    init(rows: Int) { numbers.reserveCapacity(rows) }

    /// Returns the number of the section with a mark. Adds a section for a new mark.
    mutating func number(of mark: Mark) -> Int32 {
        if let number = known[mark] { return number }
        let number = Int32(marks.count)
        known[mark] = number
        marks.append(mark)
        return number
    }

    mutating func append(_ number: Int32) { numbers.append(number) }

    struct Divided {
        /// The positions of the rows, section by section.
        let positions: [Int]
        /// The numbers of the sections in order; `unmarked` is the last.
        let numbers: [Int32]
        /// The position of the first row of each of these sections.
        let starts: [Int]
    }

    /// Divides the rows into sections.
    ///
    /// - Parameters:
    ///   - order: the numbers of the rows in order; nil for the order in which the rows were added.
    ///   - isBefore: the order of the sections; nil for the order of first appearance.
    consuming func divided(rows order: [Int]?, sorted isBefore: ((Mark, Mark) -> Bool)? = nil) -> Divided {
        // The last count is for the rows without a mark.
        var counts = [Int](repeating: 0, count: marks.count + 1)
        var sections: [Int32] = []
        for row in numbers.indices {
            let number = numbers[order?[row] ?? row]
            let place = number < 0 ? marks.count : Int(number)
            if counts[place] == 0, number >= 0 { sections.append(number) }
            counts[place] += 1
        }
        if let isBefore { sections.sort { isBefore(marks[Int($0)], marks[Int($1)]) } }
        if counts[marks.count] > 0 { sections.append(Self.unmarked) }
        var starts: [Int] = []
        var start = 0
        var next = counts
        for number in sections {
            let place = number < 0 ? marks.count : Int(number)
            starts.append(start)
            next[place] = start
            start += counts[place]
        }
        var positions = [Int](repeating: 0, count: numbers.count)
        for row in numbers.indices {
            let position = order?[row] ?? row
            let place = numbers[position] < 0 ? marks.count : Int(numbers[position])
            positions[next[place]] = position
            next[place] += 1
        }
        return Divided(positions: positions, numbers: sections, starts: starts)
    }
}

extension RowField {
    func text(of place: Place, in listing: Listing) -> [UInt8]? {
        guard let bytes = listing.level(of: place)?.bytes else { return nil }
        return text(of: Row(in: bytes.span, number: place.row), in: bytes.span)
    }
}
