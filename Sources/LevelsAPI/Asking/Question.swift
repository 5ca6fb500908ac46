import Bytes
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// A request about an item, which is read and checked once. The answer depends only on the question and on a
/// publication.
///
/// A class, because a question is passed along the whole way to its answer, and is kept while a request waits.
final class Question: Sendable {
    /// The kind of answer about an item.
    enum Subject: Sendable {
        case level, detail, document

        /// The format of the answer if the query does not name a format.
        func format(accepted: Format?) -> Format {
            switch self {
            case .level: accepted == .plist || accepted == .csv ? accepted ?? .json : .json
            case .detail: accepted == .plist ? .plist : .json
            case .document: accepted == .csv ? .plist : accepted ?? .plist
            }
        }

        /// The number of the document's variant that the answer shows; nil for the document as it is written.
        func language(_ negotiation: Negotiation) -> UInt64? { self == .document ? nil : negotiation.language }
    }

    let subject: Subject
    let path: ItemPath
    /// The query for the rows of a level.
    let rows: RowQuery
    /// Whether an answer with a document includes the levels from other files.
    let isInline: Bool
    let delivery: Delivery
    let negotiation: Negotiation
    /// The target of the request.
    let requested: String
    /// The target without the options that do not affect the answer.
    let target: [UInt8]
    /// The key of `target` for the form of the answer that the request's header selects.
    let key: UInt64
    /// The link `follow` of an answer that is not itself an answer to `since` and `wait`.
    let follow: FollowLink
    /// The request fields that select the answer, for `Vary`.
    let vary: String
    /// The time of the answer, if the request has `since` and `wait`.
    let turn: Turn?
    /// Whether the request has the link `follow` of an answer.
    let isFollowing: Bool
    /// Whether a condition in the header decides if the client has the answer.
    let isConditional: Bool
    /// A hint for a client whose `wait` has no effect, because nothing says which version the client has; otherwise nil.
    let waitHint: String?

    /// - Parameters:
    ///   - values: the values that were read from `query`.
    ///   - query: the query of the request's target.
    ///   - key: the key of the whole target, if it is known.
    ///   - now: the milliseconds since 1970.
    init(
        subject: Subject, at path: ItemPath, values: QueryValues, from query: Query, of request: Request,
        key: UInt64? = nil, _ negotiation: Negotiation, now: Int
    ) {
        self.subject = subject
        self.path = path
        rows = values.rows
        isInline = values.isInline
        delivery = values.delivery
        let namesFormat = query.namesFormat
        let isKeyKnown = !namesFormat || negotiation.format == nil
        self.negotiation = namesFormat ? negotiation.withoutFormat : negotiation
        vary = namesFormat ? "Accept-Encoding" : "Accept-Encoding, Accept"
        follow = FollowLink(options: LinkedOptions(query), format: delivery.format)
        requested = String(utf8: request.target)
        isFollowing = query.isFollowing
        isConditional = !isFollowing && request.has(.ifNoneMatch)
        if let wait = delivery.wait, delivery.since != nil {
            let name = subject == .level ? "levels" : "detail"
            turn = Turn(
                asked: delivery.turn, wait: wait, hash: follow.hash("\(name)/\(path)", wait: wait), now: now)
        } else {
            turn = nil
        }
        let isIdle = Self.isIdle(delivery, conditional: isConditional) && subject != .document
        waitHint = isIdle ? Self.idleWait : nil
        if var compared = query.targetWithoutDelivery(request.target, removesSince: turn != nil) {
            // The answer with the hint is another one. No request has a target that ends with a space.
            if isIdle { compared.append(UInt8(ascii: " ")) }
            target = compared
            self.key = self.negotiation.key(of: compared.span)
        } else {
            target = Array(copying: request.target)
            self.key = (isKeyKnown ? key : nil) ?? self.negotiation.key(of: request.target)
        }
    }

    private static let idleWait =
        "'wait' has no effect without the version that you have: add 'since', or request the link 'follow'."

    /// Whether the query has a wait, but nothing to wait for.
    private static func isIdle(_ delivery: Delivery, conditional isConditional: Bool) -> Bool {
        delivery.wait?.isPreference == false && delivery.since == nil && delivery.revision == nil && !isConditional
    }

    /// Makes a question about a detail, without options. The target is the link to this detail without the base path.
    ///
    /// - Throws: `Problem` (400) for a malformed link; links in answers are always well-formed.
    convenience init(detailAt link: String, negotiation: Negotiation) throws(Problem) {
        let target = link.utf8Span.span
        let path = try ItemPath(requested: target.extracting(min(7, target.count)..<target.count))
        var values = QueryValues()
        values.delivery.format = Subject.detail.format(accepted: negotiation.format)
        self.init(
            subject: .detail, at: path, values: values, from: Query(.detail), of: Request(target: link), negotiation,
            now: 0)
    }

    /// The version of which the answer tells only the changes; nil for an answer that is whole.
    var changesSince: RequestedVersion? {
        subject == .level && rows.search == nil && rows.outline == nil ? delivery.since : nil
    }

    var language: UInt64? { subject.language(negotiation) }

    /// The part of the item that the answer shows.
    var part: ShownPart { subject == .level ? rows.looksBelow ? .rowsBelow : .rows : .detail }

    /// The query for the rows of a level; nil for other subjects.
    var rowsOfLevel: RowQuery? { subject == .level ? rows : nil }
}

/// An item in one state of a source.
struct ShownItem {
    let item: Item
    let source: any RowSource

    /// The number of rows that are looked at to find the rows of the answer to a question.
    ///
    /// - Parameter limit: the maximum number of rows that may be looked at to determine this number.
    func work(_ question: Question, limit: Int) -> Int {
        question.subject == .document ? 0 : source.work(question.rowsOfLevel, below: item, limit: limit)
    }
}

/// A question, the publication that answers it, and the item of the question in this publication.
struct Inquiry {
    let question: Question
    let publication: Publication
    let source: any RowSource
    let item: Item
}

extension Inquiry {
    /// - Throws: `Problem` (404) if the publication does not have the item.
    init(question: Question, in publication: Publication, arrangements: ArrangementCache) throws(Problem) {
        try self.init(
            question: question, in: publication, source: question.source(in: publication, arrangements: arrangements))
    }

    /// - Parameter source: the source of the item. The initializer ends the source if the item is not found.
    init(question: Question, in publication: Publication, source: any RowSource) throws(Problem) {
        do throws(Problem) {
            self.init(
                question: question, publication: publication, source: source, item: try source.item(at: question.path))
        } catch {
            source.end()
            throw error
        }
    }

    /// The item as this publication shows it.
    var shown: ShownItem { ShownItem(item: item, source: source) }

    /// The approximate number of rows that are looked at or written for the answer.
    var cost: Int {
        guard question.subject != .document else { return 1_000 }
        let cost = source.cost(question.rowsOfLevel, below: item)
        return cost.written * (question.delivery.since == nil ? 1 : 3) + cost.sought
    }
}

extension Question {
    /// The source of the answer to this question. The caller must end the source.
    ///
    /// - Parameter isWanted: whether somebody still waits for the answer.
    func source(
        in publication: Publication, arrangements: ArrangementCache,
        while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(Problem) -> any RowSource {
        do throws(RowRefusal) {
            return try publication.snapshot.source(at: path, arrangements: arrangements, language: language).begin(
                while: isWanted)
        } catch {
            throw Problem(error)
        }
    }
}

extension Snapshot {
    /// The source of answers about the item at a path.
    ///
    /// - Parameters:
    ///   - arrangements: keeps the orders of large levels.
    ///   - language: the number of a variant of the document; nil for the document as it is written.
    func source(
        at path: ItemPath, arrangements: ArrangementCache, language: UInt64? = nil
    ) -> any RowSource {
        rows ?? rowsElsewhere(at: path) ?? TreeRows(document: document(in: language), arrangements: arrangements)
    }

    /// Whether questions about the item at a path are answered immediately.
    func isImmediate(at path: ItemPath) -> Bool { (rows ?? rowsElsewhere(at: path))?.isImmediate ?? true }
}

/// Hashes of everything that an answer about a level or a detail shows. They are kept instead of the levels themselves.
struct ShownHashes: Equatable {
    /// The hash of the shown part and of all levels below it. This hash is known without work.
    private let all: ContentHash
    /// The hash of the level's own rows. Nil if this hash is not known, or if the answer shows more than these rows.
    private let rows: ContentHash?

    init(_ inquiry: Inquiry) {
        all = Self.all(inquiry)
        rows = Self.rows(inquiry)
    }

    /// - Parameter state: the number of the source's state.
    init(state: Int, in publication: Publication) {
        all = Self.all(state: state, in: publication)
        rows = nil
    }

    private static func all(state: Int, in publication: Publication) -> ContentHash {
        ContentHash(of: "\(state) \(publication.number)".utf8Span.span)
    }

    /// Whether the answer to another inquiry shows the same content.
    func isSame(as inquiry: Inquiry) -> Bool {
        if Self.all(inquiry) == all { return true }
        guard let rows else { return false }
        return Self.rows(inquiry) == rows
    }

    private static func all(_ inquiry: Inquiry) -> ContentHash {
        inquiry.source.state.map { all(state: $0, in: inquiry.publication) }
            ?? inquiry.source.hash(of: inquiry.question.part, of: inquiry.item)
    }

    private static func rows(_ inquiry: Inquiry) -> ContentHash? {
        inquiry.question.part == .rows ? inquiry.source.rowsHash(of: inquiry.item) : nil
    }
}
