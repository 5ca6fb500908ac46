import HTTPServer
import Levels
import TreeStore

@testable import LevelsAPI

/// An API that takes edits of one document, asked without a socket.
struct EditDesk {
    let desk: Desk
    static let alice = "alice-0123456789"
    static let plain = "plain-0123456789"

    /// - Parameters:
    ///   - tokens: the lines of the token file; nil if there is none.
    ///   - outcome: how every edit ends in place of being done.
    init(
        _ document: String, tokens: String? = "alice \(alice)\n\(plain)\n", origins: AllowedOrigins = .none,
        outcome: EditOutcome? = nil, reloadOutcome: ReloadOutcome? = nil, hasWebClient: Bool = false,
        configure: (inout LevelsAPI.Editing) -> Void = { _ in }
    ) throws {
        try self.init(
            Desk.snapshot(document), tokens: tokens, origins: origins, outcome: outcome, reloadOutcome: reloadOutcome,
            hasWebClient: hasWebClient, configure: configure)
    }

    init(
        _ snapshot: Snapshot, tokens: String? = "alice \(alice)\n\(plain)\n", origins: AllowedOrigins = .none,
        outcome: EditOutcome? = nil, reloadOutcome: ReloadOutcome? = nil, hasWebClient: Bool = false,
        basePath: String = "", startWork: @escaping @Sendable (@escaping WorkQueue.Work) -> Void = { $0() },
        configure: (inout LevelsAPI.Editing) -> Void = { _ in }
    ) {
        let publications = Publications(first: snapshot)
        var configuration = LevelsAPI.Configuration()
        configuration.allowedOrigins = origins
        configuration.hasWebClient = hasWebClient
        configuration.basePath = basePath
        configuration.startWork = startWork
        if let tokens {
            let known = AccessTokens(Array(tokens.utf8))
            let editor = MemoryEditor(publications: publications, outcome: outcome, reloadOutcome: reloadOutcome)
            var editing = LevelsAPI.Editing(editor: editor, access: TokenAccess { known })
            configure(&editing)
            configuration.editing = editing
        }
        desk = Desk(
            api: LevelsAPI(publications: publications, configuration: configuration) { Readiness(source: "Data.plist") }
        )
    }

    /// The answer to an edit, as the server would ask for it.
    ///
    /// - Parameters:
    ///   - body: nil for none.
    ///   - type: the field Content-Type; nil for none.
    ///   - token: nil for none.
    func send(
        _ method: Method, _ target: String, _ body: String? = nil, type: String? = "application/json",
        token: String? = alice, _ fields: [(name: String, value: String)] = [], peer: String = "127.0.0.1"
    ) -> Answer {
        var fields = fields
        if let token { fields.append(("Authorization", "Bearer \(token)")) }
        if let body {
            fields.append(("Content-Length", "\(body.utf8.count)"))
            if let type { fields.append(("Content-Type", type)) }
        }
        let request = Request(
            method: method, target: target, fields: fields, body: Array((body ?? "").utf8), peer: peer)
        request.removeBasePath(desk.api.configuration.basePath)
        if body?.isEmpty == false, let refusal = desk.api.responder.refusal(of: request) { return Answer(refusal) }
        return Answer(desk.api.response(to: request))
    }

    func get(_ target: String, _ fields: [(name: String, value: String)] = []) -> Answer { desk.get(target, fields) }
}
