import Bytes
import Levels
import PropertyLists

/// Renders a level or a detail.
struct ItemAnswer {
    private let content: Content
    private let query: LevelQuery
    private let cacheControl: String
    private let earlier: SinceVersion?

    /// Whether the body is to be laid out for people.
    var isIndented: Bool { query.isIndented }

    private enum Content {
        case level(LevelAnswer)
        case detail(DetailAnswer)
    }

    /// - Parameters:
    ///   - history: where the version that `?since=` names is looked for.
    ///   - known: the state that the client is known to have; then no other is looked at.
    init(_ inquiry: Inquiry, _ item: Item, _ history: History, known: Item?, _ configuration: LevelsAPI.Configuration) {
        query = inquiry.query
        cacheControl = configuration.cacheControl
        if case .level = inquiry.subject {
            content = .level(LevelAnswer(item, query))
        } else {
            content = .detail(DetailAnswer(item: item))
        }
        earlier = query.since.map { SinceVersion($0, at: inquiry.path, in: history, known: known) }
    }

    /// The whole of it.
    ///
    /// - Throws: `Problem` (406) for text that the format cannot carry.
    func rendered() throws(Problem) -> Rendering {
        do {
            return try query.format == .plist
                ? render(XMLPropertyListWriter.init()) : render(JSONPropertyListWriter.init())
        } catch {
            throw Self.beyondXML
        }
    }

    /// What changed on a level since the version that is asked for; nil where none is, or it is not remembered.
    ///
    /// - Parameter whole: the answer as it is now.
    /// - Throws: `Problem` (406) for text that the format cannot carry.
    func renderedChange(to whole: borrowing Rendering) throws(Problem) -> Rendering? {
        guard let version = whole.version, let earlier, case .level(let answer) = content else { return nil }
        do {
            return try query.format == .plist
                ? render(earlier, answer, version, whole.body.count, XMLPropertyListWriter.init())
                : render(earlier, answer, version, whole.body.count, JSONPropertyListWriter.init())
        } catch {
            throw Self.beyondXML
        }
    }

    private static let beyondXML = Problem(
        .notRepresentable,
        "The answer holds control characters or parts of a second, which XML cannot carry; ask for format=json.",
        members: [("allowed", .list(["json"]))])

    private func render<Writer: AnswerWriter & ~Copyable>(
        _ empty: consuming Writer
    ) throws(PropertyListError) -> Rendering {
        var writer = empty
        let version: ContentHash
        var next: String?
        switch content {
        case .level(let answer): (version, next) = try answer.write(to: &writer)
        case .detail(let answer): version = try answer.write(to: &writer)
        }
        return rendering(version, next, Writer.contentType, try writer.body())
    }

    private func render<Writer: AnswerWriter & ~Copyable>(
        _ earlier: SinceVersion, _ answer: LevelAnswer, _ version: ContentHash, _ bytes: Int, _ empty: consuming Writer
    ) throws(PropertyListError) -> Rendering? {
        guard let change = earlier.change(to: answer, version: version, bytes: bytes, as: Writer.self) else {
            return nil
        }
        var writer = empty
        let next = try answer.write(change, version: version, to: &writer)
        return rendering(version, next, Writer.contentType, try writer.body())
    }

    private func rendering(
        _ version: ContentHash, _ next: String?, _ contentType: String, _ body: consuming ByteBuffer
    ) -> Rendering {
        let representation = Representation(
            contentType: contentType, entityTag: Self.entityTag(version), cacheControl: cacheControl,
            vary: "Accept-Encoding, Accept", next: next)
        return Rendering(representation: representation, body: body, version: version)
    }

    static func entityTag(_ hash: ContentHash) -> String {
        var text = ByteBuffer(capacity: 32)
        text.append(UInt8(ascii: "\""))
        Version.text(hash, into: &text)
        text.append(UInt8(ascii: "\""))
        return String(utf8: text.span)
    }
}
