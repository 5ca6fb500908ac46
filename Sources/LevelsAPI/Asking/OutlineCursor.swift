import Bytes
import Levels
import PropertyLists

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
