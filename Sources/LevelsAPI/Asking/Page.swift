import Bytes
import Levels
import PropertyLists

/// The rows of a listing that a request selects (`?limit=`, `?after=` and `?start=`).
struct Page: Equatable {
    static let defaultLimit = 1_000
    static let limits = 1...10_000

    var limit: Int?
    var after: Cursor?
    /// The end of the previous page of an outline.
    var afterPlace: OutlineCursor?
    /// The position of the first row.
    var start: Int?

    /// Whether the request selects a page.
    var isAsked: Bool { limit != nil || after != nil || afterPlace != nil || start != nil }

    /// Checks that the page begins within a listing, or at its end.
    ///
    /// - Throws: `Problem` (400) that tells the number of rows.
    func checkStart(in listing: Listing) throws(Problem) {
        guard let start, start > listing.count else { return }
        throw .badParameter("start", "'start' must be a whole number from 0 to \(listing.count), the number of rows.")
    }

    /// Checks that a cursor comes from a page of the same kind of list.
    ///
    /// - Throws: `Problem` (400) otherwise.
    func checkCursor(isOutline: Bool) throws(Problem) {
        guard isOutline ? after != nil : afterPlace != nil else { return }
        let other = isOutline ? "a list that is not an outline" : "an outline"
        throw .badParameter("after", "The cursor is one of \(other); follow the link 'next' of a page of this list.")
    }

    /// The positions of the page in a listing.
    func positions(in listing: Listing) -> Range<Int> {
        positions(from: start ?? after?.start(in: listing) ?? 0, of: listing.count)
    }

    /// The positions of the page in an outline.
    func positions(in outline: OutlineRows) -> Range<Int> {
        positions(from: start ?? afterPlace.map { outline.position(after: $0.place) } ?? 0, of: outline.count)
    }

    private func positions(from start: Int, of count: Int) -> Range<Int> {
        let start = min(start, count)
        return start..<min(count, start + (limit ?? Self.defaultLimit))
    }
}

extension QueryOption {
    /// `limit=`: the number of rows of a page.
    static let limit = QueryOption(
        name: "limit", grammar: "1*5DIGIT", example: "2", range: Page.limits, defaultValue: String(Page.defaultLimit),
        summary: "The number of rows of a page.", effect: .content
    ) { value, query throws(Problem) in
        guard let limit = Int(digits: value.utf8Span.span), Page.limits.contains(limit) else {
            throw .badParameter("limit", "'limit' must be a whole number from 1 to 10000, not '\(quoted: value)'.")
        }
        query.page.limit = limit
    }

    /// `after=`: the end of the previous page.
    static let after = QueryOption(
        name: "after", grammar: "1*( ALPHA / DIGIT / \"-\" / \"_\" / \".\" )", pattern: "^[A-Za-z0-9._-]+$",
        example: "AAAAAAAAAABFl8O-NfHbZy",
        summary: "The cursor of a page, from the link 'next' of the previous page.", effect: .content,
        isInNextLink: false
    ) { value, query throws(Problem) in
        if let cursor = OutlineCursor(value) {
            query.page.afterPlace = cursor
        } else if let cursor = Cursor(value) {
            query.page.after = cursor
        } else {
            throw .badParameter("after", "'\(quoted: value)' is not a cursor; follow the link 'next' of a page.")
        }
    }

    /// `start=`: the row at which a page begins.
    static let start = QueryOption(
        name: "start", grammar: "1*DIGIT", example: "0", defaultValue: "0",
        summary: "The position of the page's first row, as the 'start' of a section.", effect: .content,
        isInNextLink: false, excludes: ["after"]
    ) { value, query throws(Problem) in
        guard let start = Int(digits: value.utf8Span.span) else {
            throw .badParameter(
                "start", "'start' must be a whole number from 0 to the number of rows, not '\(quoted: value)'.")
        }
        query.page.start = start
    }
}

/// The end of a page, as text: a bookmark, so the next page begins in the right place if rows came or went since.
///
/// It needs no memory on the server. Its text is the position and the key hashes; in a sorted or grouped listing a dot
/// and the order key follow, and if the rows are grouped by a field, another dot and the marks of the sections.
struct Cursor: Equatable {
    let bookmark: Bookmark

    /// - Parameter position: the position of the next row.
    init(before position: Int, in listing: Listing) { bookmark = listing.bookmark(before: position) }

    /// Reads a cursor's text; nil for anything that `append` does not write.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map { Array($0.utf8) }
        // A part that is empty at the end is left out.
        guard parts.count == 1 || parts[parts.count - 1] != [],
            let bookmark = Bookmark(
                position: parts[0], orderKey: parts.count > 1 ? parts[1] : [],
                sectionMarks: parts.count > 2 ? parts[2] : [], .whole)
        else { return nil }
        self.bookmark = bookmark
    }

    /// Appends the cursor's text to a link.
    func append(to link: inout ByteBuffer) {
        bookmark.appendPosition(to: &link)
        let hasMarks = !bookmark.sectionMarks.isEmpty
        if hasMarks || bookmark.orderKey != nil { link.append(UInt8(ascii: ".")) }
        bookmark.appendOrderKey(to: &link)
        if hasMarks { link.append(UInt8(ascii: ".")) }
        bookmark.appendSectionMarks(to: &link)
    }

    /// The position of the first row after the place in the current listing.
    func start(in listing: Listing) -> Int { listing.position(after: bookmark) }
}

/// The end of a page of an outline: the last row, and the rows above it and before it.
///
/// It needs no memory on the server, as `Cursor` does not. The text is a mark that no other cursor has, and then for each
/// level from the outline's own down to the row the three parts of a bookmark, all of them divided by dots.
struct OutlineCursor: Equatable {
    let place: OutlinePlace

    private static let mark = UInt8(ascii: "_")
    private static let dot = UInt8(ascii: ".")
    /// More steps than any row has above it: levels nest at most 512 deep (`TreeLimits`).
    private static let mostSteps = 1_024

    /// - Parameter position: the position of the next row, at least 1.
    init(before position: Int, in listing: Listing) { place = OutlinePlace(at: position - 1, in: listing) }

    /// Reads a cursor's text; nil for anything that `append` does not write.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == Self.mark else { return nil }
        let parts = bytes.dropFirst().split(separator: Self.dot, omittingEmptySubsequences: false).map(Array.init)
        guard parts.count % 3 == 0, parts.count / 3 <= Self.mostSteps else { return nil }
        let room = OutlinePlace.room(steps: parts.count / 3)
        var steps: [Bookmark] = []
        for first in stride(from: 0, to: parts.count, by: 3) {
            guard
                let step = Bookmark(
                    position: parts[first], orderKey: parts[first + 1], sectionMarks: parts[first + 2], room)
            else { return nil }
            steps.append(step)
        }
        place = OutlinePlace(steps: steps)
    }

    /// Appends the cursor's text to a link.
    func append(to link: inout ByteBuffer) {
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

/// Bookmarks as text: three parts, of which each is words, or empty.
extension Bookmark {
    /// Reads the parts of a text; nil for anything that the `append` functions do not write.
    ///
    /// - Parameter room: how much was remembered.
    init?(position: [UInt8], orderKey: [UInt8], sectionMarks: [UInt8], _ room: Room) {
        guard let words = Self.words(position, 2...room.rows + 1), let position = Int(exactly: words[0]) else {
            return nil
        }
        let key = orderKey.isEmpty ? nil : Self.bytes(orderKey, room)
        let marks = sectionMarks.isEmpty ? [] : Self.words(sectionMarks, 1...room.rows)
        guard let marks, orderKey.isEmpty || key != nil else { return nil }
        self.init(
            position: position, keyHashes: Array(words.dropFirst()), orderKey: key, sectionMarks: marks, room: room)
    }

    /// Appends the position and the key hashes.
    func appendPosition(to link: inout ByteBuffer) {
        Version.word(UInt64(position), into: &link)
        for hash in keyHashes { Version.word(hash, into: &link) }
    }

    /// Appends the order key as words: its length is the first byte, and zeros fill the last word.
    func appendOrderKey(to link: inout ByteBuffer) {
        guard let orderKey else { return }
        let counted = [UInt8(clamping: orderKey.count)] + orderKey
        for start in stride(from: 0, to: counted.count, by: 8) {
            let word = (0..<8).reduce(0) { $0 << 8 | UInt64(start + $1 < counted.count ? counted[start + $1] : 0) }
            Version.word(word, into: &link)
        }
    }

    /// Appends the marks of the sections.
    func appendSectionMarks(to link: inout ByteBuffer) {
        for mark in sectionMarks { Version.word(mark, into: &link) }
    }

    /// Reads bytes that `appendOrderKey` wrote; nil for all other text.
    private static func bytes(_ text: [UInt8], _ room: Room) -> [UInt8]? {
        guard let words = words(text, 1...room.keyBytes / 8 + 1) else { return nil }
        let count = Int(words[0] >> 56)
        guard (1...room.keyBytes).contains(count), words.count == (count + 8) / 8 else { return nil }
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
        guard bytes[(count + 1)...].allSatisfy({ $0 == 0 }) else { return nil }
        return Array(bytes[1...count])
    }

    private static func words(_ text: [UInt8], _ counts: ClosedRange<Int>) -> [UInt64]? {
        guard let words = Version.words(text.span), counts.contains(words.count) else { return nil }
        return words
    }
}
