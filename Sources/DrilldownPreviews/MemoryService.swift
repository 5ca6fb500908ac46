public import DrilldownClient
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Server {
    /// Creates a client of a service in memory, for tests and previews.
    ///
    /// The service serves a document and accepts edits, and its levels and details can be observed.
    ///
    /// ```swift
    /// #Preview {
    ///     LevelScreen(Server(inMemory: [["Title": "Satie", "Children": ["Gymnopédie"]], "Ravel"]))
    /// }
    /// ```
    ///
    /// The service lacks sections and files, and does not answer `perform(_:)`, `document(at:as:)` and `reload()`. It
    /// supports searches and pages. It ignores `showing(_:)`, because rows always show all fields, and refuses all other
    /// options.
    ///
    /// - Parameter document: the list of the items of the first level, or a dictionary that is the root. An item is a
    ///   title, or a dictionary with `Title` and `Children`.
    public convenience init(inMemory document: FieldValue) {
        let service = MemoryService(MemoryDocument(document))
        var configuration = ServerConfiguration(url: URL(string: "http://memory") ?? URL(filePath: "/"))
        configuration.send = { request in try await service.answer(to: request) }
        self.init(configuration)
    }
}

/// The service in memory, which answers requests in the same form as a drilldown service.
actor MemoryService {
    private var document: MemoryDocument
    private var revision = 0
    private var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    private var waits = 0

    /// The content of an answer.
    private struct Content {
        var status = 200
        var version: String?
        var body: Data?
    }

    init(_ document: MemoryDocument) { self.document = document }

    func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
        var content: Content
        do {
            content = try await self.content(for: MemoryRequest(request))
        } catch {
            let problem = error as? Problem ?? .malformed("\(error)")
            var members: Fields = [
                "type": .text("/problems/\(problem.kind.rawValue)"), "title": .text(problem.title),
                "status": .integer(Int64(problem.status ?? 400)), "detail": .text(problem.detail),
            ]
            for (name, value) in problem.members { members[name] = value }
            content = Content(status: problem.status ?? 400, body: Data(JSONText.bytes(of: .dictionary(members))))
        }
        var fields = ["Content-Type": content.status < 400 ? "application/json" : "application/problem+json"]
        fields["ETag"] = content.version.map { "\"\($0)\"" }
        guard let url = request.url,
            let head = HTTPURLResponse(
                url: url, statusCode: content.status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw URLError(.badURL) }
        return (content.body ?? Data(), head)
    }

    private func content(for request: MemoryRequest) async throws -> Content {
        if let edit = try request.edit { return try perform(edit) }
        if request.target == "/changes" { return await changes(for: request) }
        guard let path = ItemPath(href: request.target), request.method == "GET" else {
            throw Problem(
                .noSuchRoute, title: "Not here", status: 404,
                detail: "A service in memory has no \(request.method) \(request.target).")
        }
        try request.checkOptions()
        var content = try content(at: path, request: request)
        if request.wait > 0 {
            let end = ContinuousClock.now + .seconds(request.wait)
            while content.version == request.since, ContinuousClock.now < end, !Task.isCancelled {
                await nextChange(until: end)
                content = try self.content(at: path, request: request)
            }
        }
        if request.ifNoneMatch == content.version { return Content(status: 304, version: content.version) }
        return content
    }

    private func content(at path: ItemPath, request: MemoryRequest) throws(Problem) -> Content {
        if request.target.hasPrefix("/detail") {
            let detail = try document.detail(at: path)
            return Self.content(of: detail, follow: request.follow(since: detail.version.rawValue))
        }
        let level =
            if let text = request.search {
                try document.hits(of: text, in: request.searchedFields, below: path)
            } else {
                try document.level(at: path)
            }
        return Self.content(of: level, request: request)
    }

    private static func content(of detail: Detail, follow: String? = nil) -> Content {
        Content(version: detail.version.rawValue, body: Data(LevelText.bytes(of: detail, follow: follow)))
    }

    private static func content(of level: Level, request: MemoryRequest) -> Content {
        var page = level
        let start = min(request.start, level.count)
        let rows = level.rows[start...].prefix(request.limit)
        page.start = start
        page.rows = Array(rows)
        if rows.endIndex < level.count {
            page.next = request.link(with: [("limit", "\(request.limit)"), ("start", "\(rows.endIndex)")])
        }
        let body = LevelText.bytes(
            of: page, follow: request.follow(since: level.version), isUnchanged: request.since == level.version)
        return Content(version: level.version, body: Data(body))
    }

    private func perform(_ edit: Edit) throws -> Content {
        if let version = edit.ifMatch {
            let (current, fields) = try versions(for: edit)
            guard version == current || version == fields else {
                throw Problem(
                    .preconditionFailed, title: "Precondition failed", status: 412, detail: "It has changed.",
                    members: ["current": .text("\"\(current)\"")])
            }
        }
        var changed = document
        let path = try changed.perform(edit)
        document = changed
        revision += 1
        for sender in waiting.values { sender.finish() }
        guard let path else { return Content(status: 204) }
        return Self.content(of: try document.detail(at: path))
    }

    /// Returns the versions that `ifMatch` of an edit may name: first the version of the item or the level, then the
    /// version of the item's fields. The second is nil for a level.
    private func versions(for edit: Edit) throws(Problem) -> (ItemVersion, ItemVersion?) {
        switch edit.action {
        case .insert(_, let level, _, _): return (ItemVersion(rawValue: try document.level(at: level).version), nil)
        case .put(_, let path), .patch(_, let path), .move(let path, _, _, _), .delete(let path):
            let detail = try document.detail(at: path)
            return (detail.version, detail.fieldsVersion)
        }
    }

    // MARK: Waiting

    /// Returns the changes since a revision. The list of changed levels is marked as incomplete, so that all levels and
    /// details count as changed.
    private func changes(for request: MemoryRequest) async -> Content {
        let since = request.since.flatMap { Int($0) } ?? revision
        if since == revision, request.wait > 0 { await nextChange(until: .now + .seconds(request.wait)) }
        let entries: [FieldValue] = since == revision ? [] : [["levels": ["/levels/"], "truncated": true]]
        let fields: Fields = [
            "revision": .text(String(revision)), "changes": .list(entries),
            "follow": .text(request.follow(since: String(revision))),
        ]
        return Content(body: Data(JSONText.bytes(of: .dictionary(fields))))
    }

    /// Waits for the next edit, at most until `end`.
    private func nextChange(until end: ContinuousClock.Instant) async {
        let (changes, sender) = AsyncStream.makeStream(of: Void.self)
        waits += 1
        let number = waits
        waiting[number] = sender
        let timer = Task {
            try await Task.sleep(until: end)
            sender.finish()
        }
        for await _ in changes {}
        timer.cancel()
        waiting[number] = nil
    }
}

extension Problem {
    fileprivate static func malformed(_ reason: String) -> Problem {
        Problem(.malformedContent, title: "Malformed content", status: 400, detail: "The body is not JSON: \(reason).")
    }
}
