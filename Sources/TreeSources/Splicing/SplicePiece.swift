/// A piece of a document that is made from an older one.
enum SplicePiece: Sendable, Equatable {
    /// Code units of the older document.
    case copy(Range<Int>)
    /// The same, with the lines within it further in or out.
    case shifted(Range<Int>, IndentShift)
    /// New text in UTF-8.
    case text([UInt8])
}

/// How the indentation of lines changes when they move.
struct IndentShift: Sendable, Equatable {
    /// What the moved lines begin with now, and what they begin with afterwards.
    let old, new: [UInt8]

    /// The indentation of a line that has another one now; a line that begins in another way stays as it is.
    func callAsFunction(_ indent: [UInt8]) -> [UInt8] {
        indent.starts(with: old) ? new + indent.dropFirst(old.count) : indent
    }
}

/// The pieces of a document in the order in which it is written.
struct SplicePieces {
    private(set) var all: [SplicePiece] = []
    /// How far the older document has been copied or passed over.
    private(set) var cursor = 0
    /// How lines are indented at the moment: those of an item that moves are shifted.
    private(set) var shift: IndentShift?

    /// Copies the older document up to a place that has not been passed.
    mutating func copy(upTo end: Int) {
        guard end > cursor else { return }
        let range = cursor..<end
        cursor = end
        guard let shift, shift.old != shift.new else {
            if case .copy(let last) = all.last, last.upperBound == range.lowerBound {
                all[all.count - 1] = .copy(last.lowerBound..<end)
            } else {
                all.append(.copy(range))
            }
            return
        }
        all.append(.shifted(range, shift))
    }

    /// Omits the older document up to a place.
    mutating func pass(upTo end: Int) { cursor = max(cursor, end) }

    mutating func append(_ text: [UInt8]) {
        guard !text.isEmpty else { return }
        guard case .text(var last)? = all.last else { return all.append(.text(text)) }
        // The text has one owner, so that it grows in place.
        all.removeLast()
        last += text
        all.append(.text(last))
    }

    /// The indentation that a line of the older document has in the new one.
    func shifted(_ indent: [UInt8]?) -> [UInt8]? { indent.map { shift?($0) ?? $0 } }

    /// Where copying goes on after something from elsewhere.
    struct Place {
        fileprivate let cursor: Int
        fileprivate let shift: IndentShift?
    }

    /// Goes on elsewhere in the older document.
    mutating func leave(for place: Int, shift: IndentShift?) -> Place {
        defer { (cursor, self.shift) = (place, shift) }
        return Place(cursor: cursor, shift: self.shift)
    }

    mutating func resume(at place: Place) { (cursor, shift) = (place.cursor, place.shift) }
}
