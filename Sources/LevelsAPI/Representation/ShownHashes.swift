import Levels

/// The hashes of what an answer shows, without the levels themselves.
struct ShownHashes {
    private let all: ContentHash
    private let rows: ContentHash?

    init(_ content: ShownContent) {
        all = content.all
        rows = content.rows
    }

    func isSame(as content: ShownContent) -> Bool {
        if content.all == all { return true }
        guard let rows else { return false }
        return content.rows == rows
    }
}
