import Glibc
import HTTPServer
import Levels
import LevelsAPI
import PropertyLists
import TreeSources
import TreeStore

/// `drilldown serve`: loads, serves, follows changes, and stops gracefully.
enum ServeCommand {
    /// How long running requests may take to finish when the server stops.
    private static let grace = Duration.milliseconds(1_500)
    /// How long edits in progress may take to be saved when the server stops.
    private static let editGrace = Duration.seconds(5)

    /// Ends the process with status 0 after a signal to stop.
    ///
    /// - Returns: the exit status 1, if it could not start.
    /// - Throws: `UsageError` for an invalid value.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        let log = try settings.log()
        let document = try settings.document { log.write(Log.Entry($0)) }
        var server = try settings.server()
        let address = try settings.listenAddress()
        let api = try settings.api()
        let historyBytes = try settings.historyBytes()
        let documentBytes = try settings.maximumBytes()
        server.faultLog = { log.write(Log.Entry($0)) }
        if try settings.logsAccess() { server.accessLog = { log.write(Log.Entry($0)) } }
        // Before any thread is started, so that none of them handles a signal instead of the waiting thread.
        let signals = Signals()
        do {
            let name = document.name
            let store = try signals.endingAtOnce {
                try TreeStore(document, historyBytes: historyBytes) { event in
                    Log.Entry.entries(for: event, of: name).forEach(log.write)
                }
            }
            var api = api
            api.editing = try EditTokenSource(settings) { log.write($0) }.map { source in
                var editing = LevelsAPI.Editing(store) { source.tokens }
                editing.maximumDocumentBytes = documentBytes
                editing.log = { log.write(Log.Entry($0)) }
                return editing
            }
            try serve(store, of: name, server, api, at: address, log, signals)
        } catch {
            let text = (error as? ServerError).map { address.sentence(for: $0, named: settings.origin("Listen")) }
            log.write(Log.Entry(start: error, text ?? "\(error)"))
            return 1
        }
    }

    private static func serve(
        _ store: TreeStore, of name: String, _ configuration: Server.Configuration, _ api: LevelsAPI.Configuration,
        at address: ListenAddress, _ log: Log, _ signals: Signals
    ) throws -> Never {
        let responder = LevelsAPI(store.publications, configuration: api) {
            Readiness(source: name, lastError: store.status.lastError)
        }
        let server = try Server(configuration: configuration, responder: responder)
        log.write(Log.Entry(serving: name, itemCount: store.current.itemCount, at: address, port: server.port))
        while signals.wait() == .reload { store.reload() }
        // Before the connections are told to end, so that every edit that was begun is answered.
        responder.finishEdits(until: .now + editGrace)
        store.removeSpareFiles()
        server.stop(grace: grace)
        log.write(Log.Entry(.info, "stopped", "stopped"))
        // Does not stop the store, which would wait for a running load; nothing is left to be saved.
        _exit(0)
    }
}

extension Log.Entry {
    /// The line that says what is served, with a URL to paste.
    ///
    /// - Parameter port: the port that is in use.
    init(serving name: String, itemCount: Int, at address: ListenAddress, port: UInt16) {
        let url = address.url(port: port)
        self.init(
            .info, "serving",
            "serving \(name), \(Quantity(itemCount, "item")), at \(url)"
                + (address.isWildcard ? " and at every other address of this machine" : ""),
            [
                .init("source", .text(name)), .init("items", .number(itemCount)), .init("url", .text(url)),
                .init("listen", .text(ListenAddress.text(host: address.host, port: port))),
            ])
    }
}
