import Bytes
import CUTF8Proc

/// The folded texts of consecutive items in document order, in one buffer.
///
/// Each text is followed by a byte that is invalid in UTF-8, so that matches cannot cross texts.
final class SearchText: Sendable {
    private let bytes: [UInt8]
    /// The start of each item's texts, and the end of the last item's texts.
    private let starts: [Int]

    private static let end: UInt8 = 0xFF

    /// Folds the texts of rows and of all items below them.
    ///
    /// - Parameter isOpen: whether the items below the last row are left out.
    init(level: Level, rows: Range<Int>, isOpen: Bool, fields: SearchedFields) {
        var output = ByteBuffer(capacity: 1 << 16)
        var starts: [Int] = [0]
        level.forEachRun(in: rows, isOpen: isOpen) { level, rows in
            let bytes = level.bytes
            for number in rows {
                fields.forEachText(of: Row(in: bytes.span, number: number), in: bytes.span) { text in
                    FoldedText.append(text, to: &output)
                    output.append(Self.end)
                }
                starts.append(output.count)
            }
        }
        bytes = Array(copying: output.span)
        self.starts = starts
    }

    convenience init(level: Level, part: SearchPlan.Part, fields: SearchedFields) {
        self.init(level: level, rows: part.rows, isOpen: part.isOpen, fields: fields)
    }

    var cost: Int { bytes.count + starts.count * 8 + 128 }

    /// Visits the number and the rank of each item with a text that contains the pattern.
    ///
    /// - Parameter isRanked: whether hits are ranked; otherwise the rank of each hit is `start`. For ranks, each item
    ///   must have exactly one text, the title.
    func forEachHit(of pattern: BytePattern, isRanked: Bool, _ visit: (_ item: Int, SearchRank) -> Void) {
        let bytes = bytes
        var item = 0
        while let found = pattern.offset(in: bytes.span, from: starts[item]) {
            while starts[item + 1] <= found { item += 1 }
            let text = starts[item]..<starts[item + 1]
            let isFirst = !isRanked || found == text.lowerBound
            visit(item, isFirst ? .start : Self.rank(of: pattern, in: bytes.span, title: text, from: found))
            item += 1
        }
    }

    /// The rank of a folded title that contains the pattern.
    static func rank(of pattern: BytePattern, in title: Span<UInt8>) -> SearchRank {
        guard let found = pattern.offset(in: title, from: 0), found > 0 else { return .start }
        return rank(of: pattern, in: title, title: 0..<title.count, from: found)
    }

    /// The rank of a title that contains the pattern, but does not begin with it. `first` is the offset of the first
    /// match.
    private static func rank(
        of pattern: BytePattern, in bytes: Span<UInt8>, title: Range<Int>, from first: Int
    ) -> SearchRank {
        if endsWord(bytes, at: first) { return .word }
        let text = bytes.extracting(title)
        let isWord = pattern.occurs(in: text, from: first - title.lowerBound + 1) { endsWord(text, at: $0) }
        return isWord ? .word : .middle
    }

    /// Whether the character before an offset is neither a letter nor a digit.
    private static func endsWord(_ text: Span<UInt8>, at offset: Int) -> Bool {
        let byte = text[offset - 1]
        if byte < 0x80 {
            return byte &- UInt8(ascii: "0") > 9 && (byte | 0x20) &- UInt8(ascii: "a") > 25
        }
        var start = offset - 1
        while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
        var codePoint: Int32 = 0
        _ = unsafe text.extracting(start..<offset).withUnsafeBufferPointer { character in
            unsafe utf8proc_iterate(character.baseAddress, character.count, &codePoint)
        }
        let category = utf8proc_category(codePoint)
        return !category.isLetter && category != UTF8PROC_CATEGORY_ND
    }
}

extension Level {
    /// Visits rows and all items below them in document order, as runs of rows of one level.
    ///
    /// - Parameter isOpen: whether the items below the last row are left out.
    fileprivate func forEachRun(in rows: Range<Int>, isOpen: Bool, _ visit: (Level, Range<Int>) -> Void) {
        var stack = [(level: self, rows: rows)]
        while let (level, rows) = stack.popLast() {
            guard !level.children.isEmpty else {
                visit(level, rows)
                continue
            }
            let isLast = isOpen && stack.isEmpty && level === self
            var row = rows.lowerBound
            while row < rows.upperBound, level.children[row] == nil { row += 1 }
            guard row < rows.upperBound, !(isLast && row == rows.upperBound - 1) else {
                visit(level, rows)
                continue
            }
            visit(level, rows.lowerBound..<row + 1)
            if row + 1 < rows.upperBound { stack.append((level, row + 1..<rows.upperBound)) }
            if let below = level.children[row] { stack.append((below, 0..<below.count)) }
        }
    }
}
