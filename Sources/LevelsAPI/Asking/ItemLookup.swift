import Bytes
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

extension RowSource {
    /// The item at a path.
    ///
    /// - Throws: `Problem` (404) if there is none.
    func item(at path: ItemPath) throws(Problem) -> Item {
        switch find(path) {
        case .found(let item): return item
        case .missing(let nearest, let number): throw .noSuchItem(path.key(number), below: nearest, in: self)
        }
    }

    /// One page of the rows below an item.
    ///
    /// - Throws: `Problem` (400) for a query that the source does not answer.
    func rows(_ query: RowQuery, below item: Item) throws(Problem) -> RowPage {
        do throws(RowRefusal) { return try page(query, below: item) } catch { throw Problem(error) }
    }
}

extension Problem {
    /// 400 for a query that a source does not answer.
    init(_ refusal: RowRefusal) { self = .badParameter(refusal.parameter, refusal.sentence) }

    /// 404 for a path without an item: what is missing, where, and what was probably meant.
    static func noSuchItem(_ wanted: String, below nearest: Item, in source: some RowSource) -> Problem {
        var detail = "There is no '\(quoted: wanted)' in \(nearest.titlePath)."
        if wanted.utf8.count <= EditDistance.longestText,
            let near = EditDistance.nearest(to: wanted, among: candidates(for: wanted, below: nearest, in: source))
        {
            detail += " Did you mean '\(quoted: near)'?"
        }
        let link = String(utf8: Links(nearest).level)
        return Problem(.noSuchItem, detail, members: [("nearest", .link(link))])
    }

    /// The same for an item of a tree.
    static func noSuchItem(_ wanted: String, below nearest: Item) -> Problem {
        noSuchItem(wanted, below: nearest, in: TreeRows(nearest.steps[0].level, ArrangementCache(bytes: 0)))
    }

    /// The keys of a level's first rows that may have been meant, as many as can be compared quickly.
    private static func candidates(for wanted: String, below item: Item, in source: some RowSource) -> [String] {
        var query = RowQuery()
        query.order = ListingOrder(sort: .document, group: .document)
        query.page.limit = mostCandidates
        let length = wanted.utf8.count
        var candidates: [String] = []
        var steps = 0
        // Suggestions are a courtesy: a source that refuses the query gives none.
        do throws(RowRefusal) {
            try source.page(query, below: item).forEachRow { row in
                let count = row.key.count
                guard steps <= mostSteps, count <= 3 * length + 3, length <= 3 * count + 3 else { return }
                steps += length * count
                if steps <= mostSteps { candidates.append(String(utf8: row.key)) }
            }
        } catch {}
        return candidates
    }

    /// The maximum number of siblings that are compared: enough for a list made by a person, and never slow.
    private static let mostCandidates = 200
    /// The maximum number of byte pairs that are compared: 200 candidates of 18 bytes each.
    private static let mostSteps = 65_536
}

extension EditDistance {
    /// The maximum length, in bytes, of a text for which the nearest known one is suggested.
    static var longestText: Int { 64 }
}
