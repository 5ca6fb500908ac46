import Bytes
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// What a request asks about an item, made once and checked: the answer depends only on it and on a publication.
///
/// It is a class, because it is passed along the whole way, and kept while a request waits.
final class Question: Sendable {
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
    /// What is asked of the rows below the item, for a level.
    let rows: RowQuery
    /// Whether a document has the levels of other files in place.
    let isInline: Bool
    /// When and in what form the answer is sent.
    let delivery: Delivery
    let negotiation: Negotiation
    /// The target without the options that do not affect the answer.
    let target: [UInt8]
    /// The key of the target in the form that the request's header selects.
    let key: UInt64
    /// The parameters that the link of the next page repeats, in the order of the request.
    let linked: [Query.Parameter]

    /// - Parameters:
    ///   - query: has been read from `text`, the query of `target`.
    ///   - key: that of the whole target; nil if it is not known.
    init<Asked: ItemQuery>(
        _ query: Asked, at path: ItemPath, from text: Query, in target: Span<UInt8>, key: UInt64? = nil,
        _ negotiation: Negotiation
    ) {
        subject = Asked.subject
        self.path = path
        rows = query.rows
        isInline = query.isInline
        delivery = query.delivery
        self.negotiation = negotiation
        linked = text.parameters.filter { text.option($0)?.isInNextLink == true }
        if let compared = text.targetWithoutDelivery(target) {
            self.target = compared
            self.key = negotiation.key(of: compared.span)
        } else {
            self.target = Array(copying: target)
            self.key = key ?? negotiation.key(of: target)
        }
    }

    /// The question about a detail without any options, which has the answer's link as its target.
    ///
    /// - Throws: `Problem` (400) for a malformed link; those of answers are well-formed.
    convenience init(detailAt link: String, _ negotiation: Negotiation) throws(Problem) {
        let target = link.utf8Span.span
        let path = try ItemPath(requested: target.extracting(min(7, target.count)..<target.count))
        var query = DetailQuery()
        query.delivery.format = DetailQuery.subject.format(accepted: negotiation.format)
        self.init(query, at: path, from: Query(.detail), in: target, negotiation)
    }

    /// The number of the document's variant that the answer is made from; nil for the document as it is written.
    var language: UInt64? { subject.language(negotiation) }

    /// What the answer shows of the item.
    var part: ShownPart { subject == .level ? rows.looksBelow ? .rowsBelow : .rows : .detail }

    /// What is asked of the rows below the item; nil for a detail.
    var rowsOfLevel: RowQuery? { subject == .level ? rows : nil }
}

/// The query of an endpoint that answers about one item.
protocol ItemQuery: DeliveredQuery {
    static var subject: Question.Subject { get }
    var rows: RowQuery { get }
    var isInline: Bool { get }
}

extension ItemQuery {
    var rows: RowQuery { RowQuery() }
    var isInline: Bool { true }
}

extension LevelQuery: ItemQuery {
    static let subject = Question.Subject.level
}

extension DetailQuery: ItemQuery {
    static let subject = Question.Subject.detail
}

extension DocumentQuery: ItemQuery {
    static let subject = Question.Subject.document
}

/// A question with the publication that answers it, and the item that it is about.
struct Inquiry {
    typealias Subject = Question.Subject

    let question: Question
    let publication: Publication
    /// What the publication shows.
    let source: any RowSource
    let item: Item

    init(_ question: Question, in publication: Publication, _ source: any RowSource, _ item: Item) {
        self.question = question
        self.publication = publication
        self.source = source
        self.item = item
    }

    /// The same question in a publication.
    ///
    /// - Throws: `Problem` (404) if the item is not there.
    init(_ question: Question, in publication: Publication, _ arrangements: ArrangementCache) throws(Problem) {
        let source = publication.snapshot.source(arrangements, language: question.language)
        self.init(question, in: publication, source, try source.item(at: question.path))
    }

    /// What the answer shows.
    var shown: ShownContent { ShownContent(question.part, of: item, in: source) }

    /// Whether the answer in another publication is known to be equal without rendering it.
    func isKnownToShowTheSame(as other: Inquiry) -> Bool {
        (question.subject != .document || question.isInline)
            && source.showsTheSame(question.part, of: item, as: other.item)
    }

    /// About how many rows are looked at or written for the answer.
    var cost: Int {
        guard question.subject != .document else { return 1_000 }
        let cost = source.cost(question.rowsOfLevel, below: item)
        return cost.written * (question.delivery.since == nil ? 1 : 3) + cost.sought
    }

    /// How many rows are looked at to find out which rows the answer shows.
    ///
    /// - Parameter limit: the most rows that may be looked at to find out the number.
    func work(limit: Int) -> Int {
        question.subject == .document ? 0 : source.work(question.rowsOfLevel, below: item, limit: limit)
    }
}

extension Snapshot {
    /// What answers questions about the items.
    ///
    /// - Parameters:
    ///   - arrangements: keeps the orders of large levels.
    ///   - language: the number of a variant of the document; nil for the document as it is written.
    func source(_ arrangements: ArrangementCache, language: UInt64? = nil) -> any RowSource {
        rows ?? TreeRows(document(in: language), arrangements)
    }
}

/// Hashes of everything that the answer about a level or a detail depends on in a publication.
struct ShownContent {
    private let part: ShownPart
    private let item: Item
    private let source: any RowSource

    init(_ part: ShownPart, of item: Item, in source: any RowSource) {
        self.part = part
        self.item = item
        self.source = source
    }

    /// The hash of everything that may be shown, for a level including all levels below it; cheap.
    var all: ContentHash { source.hash(of: part, of: item) }

    /// The hash of what a level itself shows; nil if that is not known, and if the answer shows more.
    var rows: ContentHash? { part == .rows ? source.rowsHash(of: item) : nil }
}

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
