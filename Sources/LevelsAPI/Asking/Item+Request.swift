import Levels
import PropertyLists

extension ItemPath {
    /// The path in a target.
    ///
    /// - Throws: `Problem` (400) for a segment that is not percent-encoded UTF-8.
    init(requested text: Span<UInt8>) throws(Problem) {
        do {
            self = try ItemPath(text.extracting(0..<Self.end(in: text)))
        } catch {
            throw Problem(.badPath, "The path segment '\(quoted: error.segment)' is not percent-encoded UTF-8.")
        }
    }

    /// The end of the last segment that is read; no item is deeper, so the rest cannot matter.
    private static func end(in text: Span<UInt8>) -> Int {
        var slashes = 0
        for index in text.indices where text[index] == UInt8(ascii: "/") {
            slashes += 1
            if slashes > deepest { return index }
        }
        return text.count
    }

    /// More segments than the path of any item: levels nest at most 512 deep (`TreeLimits`).
    private static let deepest = 1_024
}

extension Item {
    /// The item at a path.
    ///
    /// - Throws: `Problem` (404) if there is none.
    init(at path: ItemPath, in document: Level) throws(Problem) {
        switch Item.find(path, in: document) {
        case .found(let item): self = item
        case .missing(let nearest, let number): throw .noSuchItem(path.key(number), below: nearest)
        }
    }
}
