import Bytes
import HTTPServer
import Levels
import PropertyLists

/// A request for a level, a detail or a document. The answer depends only on it and on a snapshot.
struct Inquiry {
    /// The kind of answer about an item.
    enum Subject: Sendable {
        case level, detail, document

        /// The format of the answer if the query names none: the one that `Accept` prefers, or the default.
        func format(accepted: Format?) -> Format {
            switch self {
            case .level, .detail: accepted == .plist ? .plist : .json
            case .document: accepted ?? .plist
            }
        }

        /// The number of the document's variant that the answer is made from; nil for the document as it is written.
        func language(_ negotiation: Negotiation) -> UInt64? { self == .document ? nil : negotiation.language }
    }

    let subject: Subject
    let path: ItemPath
    /// The target without the options that do not affect the answer.
    let target: [UInt8]
    let query: LevelQuery
    let negotiation: Negotiation

    init(_ subject: Subject, at path: ItemPath, _ query: LevelQuery, of call: Call) {
        self.subject = subject
        self.path = path
        self.query = query
        target = Self.comparedTarget(of: call)
        negotiation = call.negotiation
    }

    /// A request for a detail without any options, which has the answer's link as its target.
    ///
    /// - Throws: `Problem` (400) for a malformed link; those of answers are well-formed.
    init(detailAt link: String, _ negotiation: Negotiation) throws(Problem) {
        subject = .detail
        target = Array(link.utf8)
        let span = link.utf8Span.span
        path = try ItemPath(requested: span.extracting(min(7, span.count)..<span.count))
        var query = LevelQuery()
        query.format = subject.format(accepted: negotiation.format)
        self.query = query
        self.negotiation = negotiation
    }

    private static func comparedTarget(of call: Call) -> [UInt8] {
        let (target, query) = (call.request.target, call.query)
        guard query.parameters.contains(where: { $0.option?.effect == .delivery }) else {
            return Array(copying: target)
        }
        var kept = Array(copying: target.extracting(0..<call.match.path.upperBound))
        var index = 0
        var separator = UInt8(ascii: "?")
        target.extracting(call.match.query).forEachPart(dividedBy: UInt8(ascii: "&")) { part in
            defer { index += 1 }
            guard query.parameters[index].option?.effect != .delivery else { return }
            kept.append(separator)
            kept += Array(copying: part)
            separator = UInt8(ascii: "&")
        }
        return kept
    }

    /// The number of the document's variant that the answer is made from; nil for the document as it is written.
    var language: UInt64? { subject.language(negotiation) }

    /// Whether the answers about an item in two trees are known to be equal without rendering them.
    func showsTheSame(of item: Item, as other: Item) -> Bool {
        switch subject {
        case .level: item.hasSameLevel(as: other)
        case .detail, .document: query.isInline && item.hasSameSurroundings(as: other)
        }
    }

    /// About how many rows are looked at or written for the answer about an item.
    func cost(of item: Item) -> Int {
        switch subject {
        case .document: return 1_000
        case .detail: return max(Self.orderedRows(below: item.own), item.stepAbove.map(Self.orderedRows) ?? 0)
        case .level:
            guard let level = item.level else { return 0 }
            let rows = query.outline == nil && !query.looksBelow ? level.count : level.itemCount
            let written = min(rows, query.page.limit ?? Page.defaultLimit)
            // The fields of a row may be long.
            let bytes = level.bytes.count / max(level.count, 1) * written
            let sought = max(query.work(on: level), query.outline == nil ? Self.orderedRows(below: item.own) : rows / 8)
            return max(written, bytes / 256) * (query.since == nil ? 1 : 3) + sought
        }
    }

    private static func orderedRows(below step: Item.Step) -> Int {
        step.hasOrder ? step.level.child(step.row)?.count ?? 0 : 0
    }
}
