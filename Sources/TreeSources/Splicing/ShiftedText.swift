internal import PropertyLists

/// Copies values of a document with another indentation: only of lines that begin between values, so that no text, no
/// comment and no data changes.
enum ShiftedText<Tokens: DocumentTokens & ~Copyable> {
    static func write<Failure: Error>(
        _ units: Range<Int>, _ shift: IndentShift, of document: DocumentText,
        to sink: (Span<UInt8>) throws(Failure) -> Void
    ) throws(SpliceError<Failure>) {
        var tokens = Tokens(document)
        tokens.seek(units.lowerBound)
        var copied = units.lowerBound
        while copied < units.upperBound {
            let gapEnd: Int
            let gap: [UInt8]
            var next = units.upperBound..<units.upperBound
            do throws(PropertyListError) {
                if let token = try tokens.next(), token.range.lowerBound < units.upperBound { next = token.range }
                gapEnd = max(next.lowerBound, copied)
                gap = shifted(try document.utf8(copied..<gapEnd), by: shift)
            } catch {
                throw .document(error)
            }
            try DocumentOutput.send(document.encoded(gap).span, to: sink)
            let end = min(max(next.upperBound, gapEnd), units.upperBound)
            if end > gapEnd {
                try DocumentOutput.copy(document.bytes(afterMark: gapEnd..<end), of: document.input, to: sink)
            }
            copied = end
        }
    }

    /// White space, commas and comments with other indentation; the lines of a comment stay as they are.
    private static func shifted(_ gap: [UInt8], by shift: IndentShift) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < gap.count {
            if let end = endOfMarkup(in: gap, at: index) {
                result += gap[index..<end]
                index = end
                continue
            }
            result.append(gap[index])
            index += 1
            guard gap[index - 1].isLineBreak, index < gap.count, !gap[index].isLineBreak else { continue }
            let indent = gap[index...].prefix(while: \.isBlank)
            result += shift(Array(indent))
            index = indent.endIndex
        }
        return result
    }

    /// Where the comment or the processing instruction at an index ends; nil if there is none.
    private static func endOfMarkup(in gap: [UInt8], at index: Int) -> Int? {
        guard gap[index] == UInt8(ascii: "<") else { return nil }
        let isComment = gap[index...].starts(with: Array("<!--".utf8))
        let end = Array((isComment ? "-->" : "?>").utf8)
        var place = index + 2
        while place < gap.count {
            if gap[place...].starts(with: end) { return place + end.count }
            place += 1
        }
        return gap.count
    }
}
