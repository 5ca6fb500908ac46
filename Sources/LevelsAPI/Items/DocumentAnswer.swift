import Bytes
import ContentCodings
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// `GET /document/<path>`: an item with everything below it, as a document that reads back as the same tree.
struct DocumentAnswer {
    let item: Item
    private let question: Question
    private let cacheControl: String
    private let header: ResponseHeader

    /// - Throws: `Problem` (406) for a source without documents.
    init(inquiry: Inquiry, header: ResponseHeader, cacheControl: String) throws(Problem) {
        guard inquiry.source.hasDocuments else { throw Self.noDocument }
        question = inquiry.question
        let composition = question.isInline ? nil : inquiry.publication.snapshot.composition
        item = composition?.origin(of: inquiry.item).item ?? inquiry.item
        self.header = header
        self.cacheControl = cacheControl
    }

    private var format: Format { question.delivery.format }
    private var negotiation: Negotiation { question.negotiation }

    /// The document in the requested coding. A long document is written while it is sent, so it is never in memory as a
    /// whole.
    ///
    /// - Throws: `Problem` (406) for text that the format cannot represent, or if the client accepts no available
    ///   coding.
    func representation() throws(Problem) -> Representation {
        let plain = RepresentationMetadata(
            contentType: contentType, entityTag: Self.entityTag(of: item, format: format), cacheControl: cacheControl,
            vary: question.vary)
        let metadata = question.delivery.isIndented ? plain.indented : plain
        let stream = try stream()
        let anyLength = try negotiation.codingOfAnyLength()
        let coding = if let anyLength { anyLength } else { try self.coding(of: stream) }
        let headers = header.lines(of: metadata, coding: coding, for: negotiation.origin)
        return Representation(
            head: Representation.Head(entityTag: metadata.entityTag(coding), headers: headers, coding: coding),
            body: .stream(failure: Self.beyondXML, begin: self.stream))
    }

    /// The coding of the document, if the coding depends on the length.
    private func coding(of stream: any AheadStream) throws(Problem) -> ContentCoding {
        switch stream.writeAhead() {
        case .failed: throw Self.beyondXML
        case .outOfMemory: throw .outOfMemory
        case .whole(let body): try negotiation.coding(ofBytes: body.count)
        case .goesOn: try negotiation.coding(ofBytes: .max)
        }
    }

    /// The entity tag of an item's document. It is a hash of the content and of the format, so it is the same on every
    /// machine for the same content and format.
    static func entityTag(of item: Item, format: Format) -> String {
        EntityTag.of(item.documentHash(format: format.rawValue))
    }

    private var contentType: String {
        switch format {
        case .json: JSONPropertyListWriter.contentType
        case .plist, .csv: XMLPropertyListWriter.contentType
        case .binary: "application/octet-stream"
        }
    }

    private func stream() throws(Problem) -> any AheadStream {
        let walk = TreeWalk(item)
        switch format {
        case .json:
            let compact = DocumentStream(walk: walk, writer: JSONPropertyListWriter.init())
            return question.delivery.isIndented ? IndentedStream(compact) : compact
        case .binary: return DocumentStream(walk: walk, writer: BinaryPropertyListWriter())
        case .plist, .csv:
            // Refused before the first piece is sent: later, the error could be reported only by cutting the
            // connection.
            guard item.level?.holdsTextBeyondXML != true, !item.own.level.holdsTextBeyondXML(inRow: item.own.row) else {
                throw Self.beyondXML
            }
            return DocumentStream(walk: walk, writer: XMLPropertyListWriter.init())
        }
    }

    private static let noDocument = Problem(
        .notRepresentable,
        detail: RowRefusal.noDocument.prefix(1).uppercased() + RowRefusal.noDocument.dropFirst() + ".")

    private static let beyondXML = Problem(
        .notRepresentable,
        detail:
            "The document contains control characters or fractions of a second, which XML cannot represent; request format=binary.",
        members: [("allowed", .list(["binary", "json"]))])
}

/// `GET /values`: the values of all controls, by their keys (manual, Settings pages).
enum ValuesAnswer {
    /// - Parameter document: the level with the root item.
    static func rendered(_ document: Level) throws(Problem) -> Rendering {
        let values = PropertyListDictionary(values(of: document))
        var writer: JSONPropertyListWriter = .init()
        do throws(PropertyListError) {
            try PropertyListValue.dictionary(values).tell(to: &writer)
            writer.endLine()
            return Rendering(json: try writer.body(), vary: "Accept-Encoding, Accept", isTagged: true)
        } catch {
            throw error.isOutOfMemory ? .outOfMemory : .unwritten
        }
    }

    /// The first value of each key, in the order of the document.
    private static func values(of document: Level) -> [PropertyListDictionary.Entry] {
        var entries: [PropertyListDictionary.Entry] = []
        var known: Set<String> = []
        var open = [(level: document, row: 0)]
        while let (level, row) = open.popLast() {
            guard row < level.count else { continue }
            open.append((level, row + 1))
            if let control = level.control(ofRow: row), case .string(let key)? = control["key"],
                let value = control["value"], known.insert(key).inserted
            {
                entries.append(PropertyListDictionary.Entry(key: key, value: value))
            }
            if let child = level.child(row) { open.append((child, 0)) }
        }
        return entries
    }
}
