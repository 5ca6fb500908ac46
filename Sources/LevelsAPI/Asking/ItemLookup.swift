import Bytes
import Levels
import PropertyLists

extension ItemPath {
    /// - Throws: `Problem` (400) for a segment that is not percent-encoded UTF-8.
    init(requested text: Span<UInt8>) throws(Problem) {
        do {
            self = try ItemPath(text.extracting(0..<Self.end(in: text)))
        } catch {
            throw Problem(.badPath, detail: "The path segment '\(quoted: error.segment)' is not percent-encoded UTF-8.")
        }
    }

    /// The end of the last segment that is read. No item has a longer path, so further segments make no difference.
    private static func end(in text: Span<UInt8>) -> Int {
        var slashes = 0
        for index in text.indices where text[index] == UInt8(ascii: "/") {
            slashes += 1
            if slashes > deepest { return index }
        }
        return text.count
    }

    /// The maximum number of segments that are read; levels nest at most 512 deep (`TreeLimits`).
    private static let deepest = 1_024
}

extension RowSource {
    /// - Throws: `Problem` (404) if the path leads to no item.
    func item(at path: ItemPath) throws(Problem) -> Item {
        let found: Item.Lookup
        do throws(RowRefusal) { found = try find(path) } catch { throw Problem(error) }
        switch found {
        case .found(let item): return item
        case .missing(let nearest, let number): throw .noSuchItem(path.key(number), below: nearest, in: self)
        }
    }

    func rows(_ query: RowQuery, below item: Item) throws(Problem) -> RowPage {
        do throws(RowRefusal) { return try page(query, below: item) } catch { throw Problem(error) }
    }
}

extension Problem {
    init(_ refusal: RowRefusal) {
        let parameter: Members = refusal.parameter.map { [(name: "parameter" as StaticString, value: .text($0))] } ?? []
        switch refusal.kind {
        case .unsupported: self = Problem(.badParameter, detail: refusal.sentence, members: parameter)
        case .needsIndex(let create):
            self = Problem(
                .needsIndex, detail: refusal.sentence,
                members: parameter + (create.map { [(name: "create" as StaticString, value: .text($0))] } ?? []))
        case .timeout: self = Problem(.queryTimeout, detail: refusal.sentence)
        case .unreadable: self = Problem(.unreadableDatabase, detail: refusal.sentence)
        }
    }

    /// 404 for a path that does not lead to an item. Names the nearest item above and the key that was probably meant.
    static func noSuchItem(_ wanted: String, below nearest: Item, in source: some RowSource) -> Problem {
        var detail = "There is no '\(quoted: wanted)' in \(nearest.titlePath)."
        if wanted.utf8.count <= EditDistance.longestText,
            let near = EditDistance.nearest(to: wanted, among: candidates(for: wanted, below: nearest, in: source))
        {
            detail += " Did you mean '\(quoted: near)'?"
        }
        let link = String(utf8: Links(nearest, under: "").level)
        return Problem(.noSuchItem, detail: detail, members: [("nearest", .link(link))])
    }

    /// 404 for a path in a tree that does not lead to an item.
    static func noSuchItem(_ wanted: String, below nearest: Item) -> Problem {
        noSuchItem(
            wanted, below: nearest,
            in: TreeRows(document: nearest.steps[0].level, arrangements: ArrangementCache(bytes: 0)))
    }

    /// The keys that are compared with the wanted key. They are the keys of a level's first rows that are similar in
    /// length. The rows are read in short pages, because a few long keys reach the limit of comparisons.
    private static func candidates(for wanted: String, below item: Item, in source: some RowSource) -> [String] {
        var query = RowQuery()
        query.order = ListingOrder(sort: .document, group: .document)
        query.page.limit = mostCandidates / 4
        query.countsBelow = false
        let length = wanted.utf8.count
        var candidates: [String] = []
        var (rows, steps) = (0, 0)
        // A source that refuses the query gives no suggestions.
        do throws(RowRefusal) {
            repeat {
                let page = try source.page(query, below: item)
                page.forEachRow { row in
                    let count = row.key.count
                    guard steps <= mostSteps, count <= 3 * length + 3, length <= 3 * count + 3 else { return }
                    steps += length * count
                    if steps <= mostSteps { candidates.append(String(utf8: row.key)) }
                }
                rows += page.numbers.count
                query.page.after = page.next
            } while query.page.after != nil && rows < mostCandidates && steps <= mostSteps
        } catch {}
        return candidates
    }

    /// The maximum number of rows that are looked at: enough for a list made by a person, and few enough to be fast.
    private static let mostCandidates = 200
    /// The maximum number of byte pairs that are compared: 200 candidates of 18 bytes each.
    private static let mostSteps = 65_536
}

extension EditDistance {
    /// The maximum length of a text for which a similar text is suggested, in bytes.
    static var longestText: Int { 64 }
}
