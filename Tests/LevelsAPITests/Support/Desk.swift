import HTTPServer
import Levels
import PropertyLists
import TreeStore

@testable import LevelsAPI
@testable import TestDocuments

/// An API that serves one document, asked without a socket.
struct Desk {
    let api: LevelsAPI

    /// - Parameter document: a property list as text, XML or JSON.
    init(_ document: String, cacheBytes: Int = 1 << 20, pool: LevelPool? = nil) throws {
        try self.init(Self.snapshot(document, pool: pool), cacheBytes: cacheBytes)
    }

    init(anyShape document: String) throws { self.init(Self.snapshot(try Document.anyTree(document))) }

    /// - Parameter configure: changes to the default configuration.
    init(_ document: String, configure: (inout LevelsAPI.Configuration) throws -> Void) throws {
        try self.init(Self.snapshot(document), configure: configure)
    }

    init(_ snapshot: Snapshot, cacheBytes: Int = 1 << 20, historyBytes: Int = 64 << 20, lastError: String? = nil) {
        self.init(snapshot, lastError: lastError, historyBytes: historyBytes) { $0.cacheBytes = cacheBytes }
    }

    init(
        _ snapshot: Snapshot, lastError: String? = nil, historyBytes: Int = 64 << 20,
        configure: (inout LevelsAPI.Configuration) throws -> Void
    ) rethrows {
        var configuration = LevelsAPI.Configuration()
        // However slow the machine is, all waiting requests are answered when `publish` returns.
        configuration.notifyingTime = .seconds(3_600)
        try configure(&configuration)
        let publications = Publications(first: snapshot, historyBytes: historyBytes)
        api = LevelsAPI(publications: publications, configuration: configuration) {
            Readiness(source: "Data.plist", lastError: lastError)
        }
    }

    static func snapshot(_ document: String, pool: LevelPool? = nil) throws -> Snapshot {
        snapshot(try Document.tree(document, pool: pool))
    }

    init(api: LevelsAPI) { self.api = api }

    static func snapshot(_ tree: Tree, revision: String = "k3-1") -> Snapshot {
        Snapshot(
            document: tree.document, translations: tree.translations, revision: revision, loadedAt: 1_700_000_000)
    }

    func get(_ target: String, _ fields: [(name: String, value: String)] = []) -> Answer {
        ask(.get, target, fields)
    }

    func ask(_ method: Method, _ target: String, _ fields: [(name: String, value: String)] = []) -> Answer {
        let request = Request(method: method, target: target, fields: fields)
        request.removeBasePath(api.configuration.basePath)
        return Answer(api.response(to: request))
    }
}

extension LevelsAPI {
    /// Answers for the API as the server asks it.
    var responder: FirstLoadResponder {
        let responder = FirstLoadResponder(configuration)
        responder.serve(self)
        return responder
    }

    /// Publishes a snapshot, and answers the waiting requests before this returns.
    func publish(_ snapshot: Snapshot) {
        publications.publish(snapshot)
        publications.notify()
    }

    /// The response to a request that is answered at once.
    func response(to request: Request) -> Response {
        guard let response = respond(to: request).response else { fatalError("\(request.targetText) waits") }
        return response
    }
}
