public import DrilldownClient
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
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
    /// The service answers levels, details, changes, edits and images by the contract of the real service. It lacks
    /// whole documents, property lists as bodies, sources, records and databases.
    ///
    /// To see how a screen shows an error, throw it before the answer. To see how it loads, wait before the answer.
    ///
    /// ```swift
    /// let server = Server(inMemory: ["Satie"], beforeAnswering: { _ in throw URLError(.notConnectedToInternet) })
    /// ```
    ///
    /// - Parameters:
    ///   - document: the list of the items of the first level, or a dictionary that is the root: with `Children` or
    ///     `Sections`, or a settings page with `PreferenceSpecifiers`. An item is a title, or a dictionary.
    ///   - pages: the child pages of a settings page, by the names that `File` has.
    ///   - images: the files that `imageData(named:)` returns, by name.
    ///   - check: called before each answer. A `Problem` that it throws is the answer; with any other error, the request
    ///     gets no answer.
    public convenience init(
        inMemory document: FieldValue, pages: [String: FieldValue] = [:], images: [String: Data] = [:],
        beforeAnswering check: @escaping @Sendable (URLRequest) async throws -> Void = { _ in }
    ) {
        let service = MemoryService(MemoryDocument(document, pages: pages), images: images)
        var configuration = ServerConfiguration(url: URL(string: "http://memory") ?? URL(filePath: "/"))
        configuration.send = { request in
            do {
                try await check(request)
                return try await service.answer(to: request)
            } catch let problem as Problem {
                return try MemoryService.answer(.init(problem), to: request)
            }
        }
        self.init(configuration)
    }
}

/// The service in memory, which answers requests in the same form as a drilldown service.
actor MemoryService {
    private var document: MemoryDocument
    private let images: [String: Data]
    private var revision = 0
    private var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    private var waits = 0

    /// The content of an answer.
    struct Content {
        var status = 200
        var version: String?
        var body: Data?
        var type = "application/json"

        init(status: Int = 200, version: String? = nil, body: Data? = nil) {
            (self.status, self.version, self.body) = (status, version, body)
        }

        init(_ problem: Problem) {
            status = problem.status ?? 500
            type = "application/problem+json"
            var members: Fields = [
                "type": .text("/problems/\(problem.kind.rawValue)"), "title": .text(problem.title),
                "status": .integer(Int64(status)), "detail": .text(problem.detail),
            ]
            for (name, value) in problem.members { members[name] = value }
            body = Data(JSONText.bytes(of: .dictionary(members)))
        }
    }

    init(_ document: MemoryDocument, images: [String: Data]) { (self.document, self.images) = (document, images) }

    func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
        let content: Content
        do {
            content = try await self.content(for: MemoryRequest(request))
        } catch {
            content = Content(error as? Problem ?? .malformed("\(error)"))
        }
        return try Self.answer(content, to: request)
    }

    static func answer(_ content: Content, to request: URLRequest) throws -> (Data, URLResponse) {
        var fields = ["Content-Type": content.type]
        fields["ETag"] = content.version.map { "\"\($0)\"" }
        guard let url = request.url,
            let head = HTTPURLResponse(
                url: url, statusCode: content.status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw URLError(.badURL) }
        return (content.body ?? Data(), head)
    }

    private func content(for request: MemoryRequest) async throws -> Content {
        let edits = try request.edits
        if request.target == "/edits", request.method == "POST" { return try performBatch(edits) }
        if let edit = edits.first { return try perform(edit, isInBody: request.target == "/moves") }
        if request.target == "/changes" { return await changes(for: request) }
        if request.method == "GET", request.target.hasPrefix("/assets/") { return try image(request.target) }
        guard let path = ItemPath(href: request.target), request.method == "GET" else {
            throw Problem(
                .noSuchRoute, title: "Not here", status: 404,
                detail: "A service in memory has no \(request.method) \(request.target).")
        }
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

    private func image(_ target: String) throws(Problem) -> Content {
        let name = target.dropFirst("/assets/".count).removingPercentEncoding ?? ""
        guard let image = images[name] else {
            throw Problem(
                .noSuchFile, title: "No such file", status: 404, detail: "There is no image '\(name)' in memory.")
        }
        var content = Content(version: Version.text(of: image), body: image)
        content.type = "application/octet-stream"
        return content
    }

    private func content(at path: ItemPath, request: MemoryRequest) throws(Problem) -> Content {
        if request.target.hasPrefix("/detail") {
            let detail = try document.detail(at: path)
            return Self.content(of: detail, follow: request.follow(since: detail.version.rawValue))
        }
        try document.check(path)
        var (level, cursor) = try document.level(at: path, by: MemoryQuery(request))
        level.next = cursor.map(request.next)
        level.version = Self.version(of: level)
        let body = LevelText.bytes(
            of: level, follow: request.follow(since: level.version), isUnchanged: request.since == level.version)
        return Content(version: level.version, body: Data(body))
    }

    /// The version of a level, which does not depend on the form of the link to the next page.
    private static func version(of level: Level) -> String {
        var level = level
        level.next = nil
        return Version.text(of: level)
    }

    private static func content(of detail: Detail, follow: String? = nil) -> Content {
        Content(version: detail.version.rawValue, body: Data(LevelText.bytes(of: detail, follow: follow)))
    }

    /// - Parameter isInBody: whether the body has all options of the edit.
    private func perform(_ edit: Edit, isInBody: Bool) throws -> Content {
        try check(edit)
        var changed = document
        let id: UUID
        do throws(Problem) { id = try changed.perform(edit) } catch { throw isInBody ? error.ofBody : error }
        publish(changed)
        guard let path = changed.path(of: id) else { return Content(status: 204) }
        return Self.content(of: try document.detail(at: path))
    }

    /// Performs all edits or none.
    private func performBatch(_ edits: [Edit]) throws -> Content {
        var changed = document
        var ids: [UUID] = []
        for (number, edit) in edits.enumerated() {
            do throws(Problem) {
                try check(edit)
                ids.append(try changed.perform(edit))
            } catch {
                var problem = error.ofBody
                problem.members["edit"] = .integer(Int64(number))
                throw problem
            }
        }
        publish(changed)
        let paths = ids.map { id in ["href": changed.path(of: id).map { .text($0.detailLink) } ?? .null] as FieldValue }
        return Content(
            body: Data(JSONText.bytes(of: ["revision": .text(String(revision)), "edits": .list(paths)])))
    }

    private func publish(_ changed: MemoryDocument) {
        document = changed
        revision += 1
        for sender in waiting.values { sender.finish() }
    }

    /// Checks the condition of an edit. Without one, checks that the path cannot lead to a sibling later.
    private func check(_ edit: Edit) throws(Problem) {
        let isNeeded = edit.ifMatch == nil && document.sharesKey(edit)
        guard isNeeded || edit.ifMatch != nil else { return }
        let (current, fields): (ItemVersion?, ItemVersion?)
        do throws(Problem) { (current, fields) = try versions(for: edit) } catch { (current, fields) = (nil, nil) }
        if let version = edit.ifMatch, version == current || version == fields { return }
        var members = Fields()
        members["current"] = current.map { .text("\"\($0)\"") }
        members["currentFields"] = fields.map { .text($0.rawValue) }
        throw isNeeded
            ? Problem(
                .preconditionRequired, title: "Precondition required", status: 428,
                detail: "Another item on this level has the same title, so the edit must name a version.",
                members: members)
            : Problem(
                .preconditionFailed, title: "Precondition failed", status: 412, detail: "It has changed.",
                members: members)
    }

    /// Returns the versions that `ifMatch` of an edit may name: first the version of the item or the level, then the
    /// version of the item's fields. The second is nil for a level.
    private func versions(for edit: Edit) throws(Problem) -> (ItemVersion, ItemVersion?) {
        switch edit.action {
        case .insert(_, let level, _, _):
            return (ItemVersion(rawValue: Self.version(of: try document.level(at: level).0)), nil)
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
    /// The problem of an option that is not in the query, but in the body.
    fileprivate var ofBody: Problem {
        guard kind == .badParameter, let parameter else { return self }
        return Problem(
            .invalidContent, title: "Invalid content", status: 422, detail: detail,
            members: ["pointer": .text("/\(parameter)")])
    }

    fileprivate static func malformed(_ reason: String) -> Problem {
        Problem(.malformedContent, title: "Malformed content", status: 400, detail: "The body is not JSON: \(reason).")
    }
}
