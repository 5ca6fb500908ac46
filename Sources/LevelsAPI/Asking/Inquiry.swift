import Bytes
import HTTPServer
import Levels
import PropertyLists

/// What a request asks of a level, a detail or a document: with a snapshot, it is all that the answer depends on.
struct Inquiry {
    /// What of an item is asked for.
    enum Subject: Sendable {
        case level, detail, document

        /// The format of the answer unless the query names one: the one that `Accept` prefers, else the usual one.
        func format(accepted: Format?) -> Format {
            switch self {
            case .level, .detail: accepted == .plist ? .plist : .json
            case .document: accepted ?? .plist
            }
        }
    }

    let subject: Subject
    let path: ItemPath
    /// The target without the options that say nothing about the answer.
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

    /// Whether the answer about an item in one tree is known to be the same as in another, without rendering either.
    func showsTheSame(of item: Item, as other: Item) -> Bool {
        switch subject {
        case .level: item.hasSameLevel(as: other)
        case .detail, .document: item.hasSameSurroundings(as: other)
        }
    }
}
