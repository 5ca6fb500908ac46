import Levels
import PropertyLists

/// Renders a level or a detail.
struct ItemAnswer {
    private let content: Content
    private let format: Format
    private let cacheControl: String
    private let earlier: Earlier?

    private enum Content {
        case level(LevelAnswer)
        case detail(DetailAnswer)
    }

    /// - Parameter history: where the version that `?since=` names is looked for.
    /// - Throws: `Problem` (400) for a parameter that is unknown or malformed.
    init(
        _ route: Route, _ item: Item, at path: ItemPath, _ query: Query, _ accept: Format?, _ history: History,
        _ configuration: LevelsAPI.Configuration
    ) throws(Problem) {
        cacheControl = configuration.cacheControl
        earlier = try query["since"].map { text throws(Problem) in try Earlier(text, at: path, in: history) }
        if case .level = route {
            if !query.parameters.isEmpty { try query.allow(["limit", "after", "fields", "format", "since"]) }
            content = .level(try LevelAnswer(item, query))
        } else {
            if !query.parameters.isEmpty { try query.allow(["format"]) }
            content = .detail(DetailAnswer(item: item))
        }
        format = try .ofAnswer(query, accept: accept)
    }

    /// - Throws: `Problem` (406) for text that the format cannot carry.
    func rendered() throws(Problem) -> Rendering {
        do {
            return try format == .plist ? render(XMLPropertyListWriter.init()) : render(JSONPropertyListWriter.init())
        } catch {
            throw Problem(
                .notRepresentable,
                "The answer holds control characters or parts of a second, which XML cannot carry; ask for format=json.",
                members: [("allowed", .list(["json"]))])
        }
    }

    private func render<Writer: AnswerWriter & ~Copyable>(
        _ empty: consuming Writer
    ) throws(PropertyListError) -> Rendering {
        var writer = empty
        let version: ContentHash
        var next: String?
        switch content {
        case .level(let answer):
            (version, next) = try answer.write(to: &writer)
            if let change = earlier?.change(to: answer, version: version, as: Writer.self) {
                writer = Writer()
                next = try answer.write(change, version: version, to: &writer)
            }
        case .detail(let answer): version = try answer.write(to: &writer)
        }
        let representation = Representation(
            contentType: Writer.contentType, entityTag: Self.entityTag(version), cacheControl: cacheControl,
            vary: "Accept-Encoding, Accept", next: next)
        return Rendering(representation: representation, body: try writer.body())
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
            guard let limit = Int(text), Page.limits.contains(limit), text.allSatisfy(\.isNumber) else {
                throw .badParameter("limit", "'\(text)' is no limit; it is a whole number from 1 to 10000.")
            }
            page.limit = limit
        }
        if let text = query["after"] {
            guard let cursor = Cursor(text) else {
                throw .badParameter("after", "'\(text)' is no cursor; follow the link 'next' of a page.")
            }
            page.after = cursor
        }
        if let text = query["fields"] {
            fields = text == "*" ? .all : .named(text.split(separator: ",").map { Array($0.utf8) })
        }
        for (name, value) in query.parameters where name != "after" && name != "since" {
            var encoded = ByteBuffer()
            PercentEncoding.append(value.utf8Span.span, to: &encoded)
            nextQuery += "\(name)=\(String(utf8: encoded.span))&"
        }
    }
}
