import Bytes
import Levels
import PropertyLists

/// The options that select a page of rows.
extension QueryOption {
    private static let limits = 1...10_000

    static let limit = QueryOption(
        name: "limit", grammar: "1*5DIGIT", example: "2", range: limits,
        defaultValue: String(PageQuery.defaultLimit), summary: "The number of rows of a page."
    ) { value, values throws(Problem) in
        guard let limit = Int(digits: value.utf8Span.span), limits.contains(limit) else {
            throw .badParameter(
                "limit", detail: "'limit' must be a whole number from 1 to 10000, not '\(quoted: value)'.")
        }
        values.rows.page.limit = limit
    }

    static let after = QueryOption(
        name: "after", grammar: "1*( ALPHA / DIGIT / \"-\" / \"_\" / \".\" )", pattern: "^[A-Za-z0-9._-]+$",
        example: "AAAAAAAAAABFl8O-NfHbZy",
        summary: "The cursor of a page, from the link 'next' of the previous page.", links: .follow
    ) { value, values throws(Problem) in
        guard let bookmark = RowBookmark(cursor: value) else {
            throw .badParameter(
                "after", detail: "'\(quoted: value)' is not a cursor; follow the link 'next' of a page.")
        }
        values.rows.page.after = bookmark
    }

    static let start = QueryOption(
        name: "start", grammar: "1*DIGIT", example: "0", defaultValue: "0",
        summary: "The position of the page's first row, as the 'start' of a section.", links: .follow,
        excludes: ["after"]
    ) { value, values throws(Problem) in
        guard let start = Int(digits: value.utf8Span.span) else {
            throw .badParameter(
                "start", detail: "'start' must be a whole number from 0 to the number of rows, not '\(quoted: value)'.")
        }
        values.rows.page.start = RowOffset(clamping: start)
    }

    static let sections = QueryOption(
        name: "sections", grammar: "\"all\" / \"page\" / 1*5DIGIT", pattern: "^(all|page|[1-9][0-9]{0,3}|10000)$",
        example: "page", defaultValue: "all",
        summary: "The sections in the answer: all, only those with rows on the page, or all up to a number of them."
    ) { value, values throws(Problem) in
        switch value {
        case "all": values.rows.page.sections = .all
        case "page": values.rows.page.sections = .ofPage
        default:
            guard let most = Int(digits: value.utf8Span.span), limits.contains(most) else {
                throw .badParameter(
                    "sections",
                    detail: "'sections' must be all, page or a whole number from 1 to 10000, not '\(quoted: value)'.")
            }
            values.rows.page.sections = .atMost(most)
        }
    }
}

extension QueryValues {
    /// Checks that a cursor comes from a page of the same kind of list.
    func checkCursor() throws(Problem) {
        let other: String
        switch rows.page.after {
        case .row where rows.outline != nil, .supplied where rows.outline != nil:
            other = "a list that is not an outline"
        case .outline where rows.outline == nil: other = "an outline"
        default: return
        }
        throw .badParameter(
            "after", detail: "The cursor belongs to \(other); follow the link 'next' of a page of this list.")
    }
}

/// The end of a page as text: a cursor. The next page begins in the right place even if rows were inserted or removed.
/// The server does not remember cursors.
///
/// The cursor of a level is a position and key hashes. If the listing is sorted or grouped, a dot and the order key
/// follow. If the rows are grouped by a field, another dot and the marks of the sections follow.
///
/// The cursor of an outline begins with `_`. These three parts follow for each level, from the outline's own level down
/// to the level of the row; dots separate the parts.
///
/// The cursor of a source that is not in memory begins with a dot. The bytes of the source follow as words: the first
/// word is the number of bytes, and zeros fill the last word.
extension RowBookmark {
    private static let mark = UInt8(ascii: "_")
    private static let dot = UInt8(ascii: ".")
    /// The maximum number of steps. No row has as many levels above it: levels nest at most 512 deep (`TreeLimits`).
    private static let mostSteps = 1_024

    /// Reads a cursor; nil for text that `append` does not write.
    init?(cursor text: String) {
        let bytes = Array(text.utf8)
        if bytes.first == Self.dot {
            guard let supplied = Self.supplied(bytes.span.extracting(1..<bytes.count)) else { return nil }
            self = .supplied(supplied)
            return
        }
        guard bytes.first == Self.mark else {
            guard let bookmark = Self.bookmark(bytes) else { return nil }
            self = .row(bookmark)
            return
        }
        let parts = bytes.dropFirst().split(separator: Self.dot, omittingEmptySubsequences: false).map(Array.init)
        guard parts.count % 3 == 0, parts.count / 3 <= Self.mostSteps else { return nil }
        let room = OutlinePlace.room(steps: parts.count / 3)
        var steps: [Bookmark] = []
        for first in stride(from: 0, to: parts.count, by: 3) {
            guard
                let step = Bookmark(
                    position: parts[first], orderKey: parts[first + 1], sectionMarks: parts[first + 2], room: room)
            else { return nil }
            steps.append(step)
        }
        self = .outline(OutlinePlace(steps: steps))
    }

    private static func bookmark(_ text: [UInt8]) -> Bookmark? {
        let parts = text.split(separator: dot, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
        // `append` leaves out an empty last part.
        guard parts.count == 1 || parts[parts.count - 1] != [] else { return nil }
        return Bookmark(
            position: parts[0], orderKey: parts.count > 1 ? parts[1] : [],
            sectionMarks: parts.count > 2 ? parts[2] : [], room: .whole)
    }

    private static func supplied(_ text: Span<UInt8>) -> [UInt8]? {
        guard let words = Version.words(text), let count = words.first, count <= (words.count - 1) * 8 else {
            return nil
        }
        let bytes = words.dropFirst().flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
        return Array(bytes.prefix(Int(count)))
    }

    func append(to link: inout ByteBuffer) {
        switch self {
        case .supplied(let bytes):
            link.append(Self.dot)
            Version.word(UInt64(bytes.count), into: &link)
            for start in stride(from: 0, to: bytes.count, by: 8) {
                let word = (start..<start + 8).reduce(0) { $0 << 8 | UInt64($1 < bytes.count ? bytes[$1] : 0) }
                Version.word(word, into: &link)
            }
        case .row(let bookmark):
            bookmark.appendPosition(to: &link)
            let hasMarks = !bookmark.sectionMarks.isEmpty
            if hasMarks || bookmark.orderKey != nil { link.append(Self.dot) }
            bookmark.appendOrderKey(to: &link)
            if hasMarks { link.append(Self.dot) }
            bookmark.appendSectionMarks(to: &link)
        case .outline(let place):
            link.append(Self.mark)
            for (number, step) in place.steps.enumerated() {
                if number > 0 { link.append(Self.dot) }
                step.appendPosition(to: &link)
                link.append(Self.dot)
                step.appendOrderKey(to: &link)
                link.append(Self.dot)
                step.appendSectionMarks(to: &link)
            }
        }
    }
}

/// Bookmarks as text with three parts. Each part consists of words or is empty.
extension Bookmark {
    /// Reads the parts of a text; nil for text that the `append` functions do not write.
    init?(position: [UInt8], orderKey: [UInt8], sectionMarks: [UInt8], room: Room) {
        guard let words = Self.words(position, counts: 2...room.rows + 1), let position = Int(exactly: words[0]) else {
            return nil
        }
        let key = orderKey.isEmpty ? nil : Self.bytes(orderKey, room: room)
        let marks = sectionMarks.isEmpty ? [] : Self.words(sectionMarks, counts: 1...room.rows)
        guard let marks, orderKey.isEmpty || key != nil else { return nil }
        self.init(
            position: RowOffset(clamping: position).number, keyHashes: Array(words.dropFirst()), orderKey: key,
            sectionMarks: marks, room: room)
    }

    func appendPosition(to link: inout ByteBuffer) {
        Version.word(UInt64(position), into: &link)
        for hash in keyHashes { Version.word(hash, into: &link) }
    }

    /// Appends the order key as words: the first byte is the length of the key, and zeros fill the last word.
    func appendOrderKey(to link: inout ByteBuffer) {
        guard let orderKey else { return }
        let counted = [UInt8(clamping: orderKey.count)] + orderKey
        for start in stride(from: 0, to: counted.count, by: 8) {
            let word = (0..<8).reduce(0) { $0 << 8 | UInt64(start + $1 < counted.count ? counted[start + $1] : 0) }
            Version.word(word, into: &link)
        }
    }

    func appendSectionMarks(to link: inout ByteBuffer) {
        for mark in sectionMarks { Version.word(mark, into: &link) }
    }

    /// Reads an order key that `appendOrderKey` wrote; nil for all other text.
    private static func bytes(_ text: [UInt8], room: Room) -> [UInt8]? {
        guard let words = words(text, counts: 1...room.keyBytes / 8 + 1) else { return nil }
        let count = Int(words[0] >> 56)
        guard (1...room.keyBytes).contains(count), words.count == (count + 8) / 8 else { return nil }
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
        guard bytes[(count + 1)...].allSatisfy({ $0 == 0 }) else { return nil }
        return Array(bytes[1...count])
    }

    private static func words(_ text: [UInt8], counts: ClosedRange<Int>) -> [UInt64]? {
        guard let words = Version.words(text.span), counts.contains(words.count) else { return nil }
        return words
    }
}
