import Bytes
import Levels
import PropertyLists

/// The end of a page of an outline: the last row, and the rows above it and before it.
///
/// It needs no memory on the server, as `Cursor` does not. The text is a mark that no other cursor has, and then words:
/// the number of steps; for each, the number of its row and the hashes of its keys.
struct OutlineCursor: Equatable {
    let place: OutlinePlace

    private static let mark = UInt8(ascii: "_")
    /// More steps than any row has above it: levels nest at most 512 deep (`TreeLimits`).
    private static let mostSteps: UInt64 = 1_024

    /// - Parameter position: the position of the next row, at least 1.
    init(before position: Int, in listing: Listing) { place = OutlinePlace(at: position - 1, in: listing) }

    /// Reads a cursor's text; nil for anything that `append` does not write.
    init?(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        let bytes = text.utf8Span.span
        guard bytes.count > 1, bytes[0] == Self.mark, let words = Version.words(bytes.extracting(1..<bytes.count)),
            (1...Self.mostSteps).contains(words[0])
        else { return nil }
        let remembered = OutlinePlace.rememberedRows(steps: Int(words[0]))
        var rest = words.dropFirst()
        var steps: [OutlinePlace.Step] = []
        while steps.count < words[0] {
            guard let row = rest.popFirst().flatMap({ UInt32(exactly: $0) }).map(Int.init) else { return nil }
            let keyHashes = rest.prefix(min(remembered, row + 1))
            guard keyHashes.count == min(remembered, row + 1) else { return nil }
            steps.append(OutlinePlace.Step(row: row, keyHashes: Array(keyHashes)))
            rest = rest.dropFirst(keyHashes.count)
        }
        guard rest.isEmpty else { return nil }
        place = OutlinePlace(steps: steps)
    }

    /// Appends the cursor's text to a link.
    func append(to link: inout ByteBuffer) {
        link.append(Self.mark)
        Version.word(UInt64(place.steps.count), into: &link)
        for step in place.steps {
            Version.word(UInt64(step.row), into: &link)
            for hash in step.keyHashes { Version.word(hash, into: &link) }
        }
    }
}
