import Glibc
import HTTPServer
import LevelsAPI
import TreeSources
import TreeStore

/// `drilldown serve`: loads, serves, follows changes, and stops in order.
enum ServeCommand {
    /// How long requests that run may take to finish when the server is told to stop.
    private static let grace = Duration.milliseconds(1_500)

    /// Ends the process with status 0 after a signal to stop.
    ///
    /// - Returns: the exit status 1, where it could not start.
    /// - Throws: `UsageError` for a value that is none.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        let log = try settings.log()
        let document = try settings.document { log.write($0) }
        var server = try settings.server()
        let api = try settings.api()
        if try settings.logsAccess() { server.accessLog = { log.write($0) } }
        // Before any thread is made, so that none of them takes a signal from the one that waits for it.
        let signals = Signals()
        do {
            try serve(document, server, api, log, signals)
        } catch {
            log.write(.error, "start", "\(error)")
            return 1
        }
    }

    private static func serve(
        _ document: any TreeSource, _ configuration: Server.Configuration, _ api: LevelsAPI.Configuration, _ log: Log,
        _ signals: Signals
    ) throws -> Never {
        let store = try signals.endingAtOnce { try TreeStore(document) { log.write($0) } }
        let first = store.current
        let responder = LevelsAPI(first, configuration: api) {
            Readiness(source: document.name, lastError: store.status.lastError)
        }
        store.onPublish(after: first) { _, new in responder.publish(new) }
        let server = try Server(configuration: configuration, responder: responder)
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        log.write(
            .info, "serving",
            "serving \(document.name), \(store.current.itemCount) items, at http://\(host):\(server.port)/",
            [
                ("source", document.name), ("items", "\(store.current.itemCount)"),
                ("address", "http://\(host):\(server.port)/"),
            ])
        while signals.wait() == .reload { store.reload() }
        server.stop(grace: grace)
        log.write(.info, "stopped", "stopped")
        // Not by way of the store's end, which would wait for a load that runs: nothing is left to be saved.
        _exit(0)
    }
}
