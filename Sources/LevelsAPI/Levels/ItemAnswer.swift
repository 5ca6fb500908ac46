import Levels
import PropertyLists

/// Renders a level or a detail.
struct ItemAnswer {
    private let content: Content
    private let format: Format
    /// Whether the body is to be laid out for people.
    let isIndented: Bool
    private let cacheControl: String
    private let earlier: SinceVersion?

    private enum Content {
        case level(LevelAnswer)
        case detail(DetailAnswer)
    }

    /// - Parameters:
    ///   - history: where the version that `?since=` names is looked for.
    ///   - known: the state that the client is known to have; then no other is looked at.
    /// - Throws: `Problem` (400) for a parameter that is unknown or malformed.
    init(
        _ inquiry: Inquiry, _ item: Item, _ history: History, known: Item?, _ configuration: LevelsAPI.Configuration
    ) throws(Problem) {
        let query = inquiry.query
        cacheControl = configuration.cacheControl
        if case .level = inquiry.route {
            if !query.parameters.isEmpty {
                try query.allow(["limit", "after", "fields", "format", "pretty", "since", "wait"])
            }
            content = .level(try LevelAnswer(item, query))
        } else {
            if !query.parameters.isEmpty { try query.allow(["format", "pretty", "wait"]) }
            content = .detail(DetailAnswer(item: item))
        }
        if let text = query["since"] {
            earlier = try SinceVersion(text, at: inquiry.path, in: history, known: known)
        } else {
            earlier = nil
        }
        format = try .ofAnswer(query, accept: inquiry.negotiation.format)
        isIndented = try query.isIndented(as: format)
    }

    /// The whole of it.
    ///
    /// - Throws: `Problem` (406) for text that the format cannot carry.
    func rendered() throws(Problem) -> Rendering {
        do {
            return try format == .plist ? render(XMLPropertyListWriter.init()) : render(JSONPropertyListWriter.init())
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
            return try format == .plist
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

extension LevelAnswer {
    /// - Throws: `Problem` (400) for a malformed parameter.
    fileprivate init(_ item: Item, _ query: Query) throws(Problem) {
        self.init(item: item)
        guard !query.parameters.isEmpty else { return }
        if let text = query["limit"] {
            guard let limit = Int(digits: text.utf8Span.span), Page.limits.contains(limit) else {
                throw .badParameter("limit", "'\(quoted: text)' is no limit; it is a whole number from 1 to 10000.")
            }
            page.limit = limit
        }
        if let text = query["after"] {
            guard let cursor = Cursor(text) else {
                throw .badParameter("after", "'\(quoted: text)' is no cursor; follow the link 'next' of a page.")
            }
            page.after = cursor
        }
        if let text = query["fields"] { fields = try FieldSelection(text) }
        self.query = query
    }
}
