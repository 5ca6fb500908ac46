import Glibc
import HTTPServer
import Heap
import Levels
import LevelsAPI
import PropertyLists
import ServiceManager
import Threads
import TreeSources
import TreeStore

/// `drilldown serve`: listens, loads, serves, follows changes, and stops gracefully.
enum ServeCommand {
    /// The descriptors that the store opens after the server was started, its wake-ups and what watches the source, less
    /// the listening socket, which is open already when the server counts it.
    private static let storeDescriptors = 9

    /// Ends the process with status 0 after a signal to stop.
    ///
    /// - Returns: the exit status 1, if it could not start.
    /// - Throws: `UsageError` for an invalid value.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        let log = try settings.log()
        MemoryBudget.setLimit(try settings.memoryLimit())
        HeapMemory.prepareReserve()
        var settings = settings
        settings.progress = ProgressDisplay.start(log.progressStyle)
        let progress = settings.progress
        let document = try settings.document { log.write(Log.Entry($0)) }
        var server = try settings.server()
        let targets = try settings.listenTargets()
        let monitoring = try settings.metricsTarget()
        let drain = try settings.drain()
        _ = try settings.usesTLS()
        let api = try settings.api()
        let historyBytes = try settings.historyBytes()
        let documentBytes = try settings.maximumBytes()
        server.laterDescriptors = storeDescriptors + (monitoring == nil ? 0 : MonitoringStart.descriptors)
        server.faultLog = { log.write(Log.Entry($0)) }
        server.failureLog = { log.write(Log.Entry($0)) }
        if try settings.logsAccess() { server.accessLog = { log.write(Log.Entry($0)) } }
        let counters = ServiceCounters(version: Help.versionNumber)
        server.counters = counters.server
        do {
            let manager = try ServiceEnvironment(environment: environment())
            ServiceEnvironment.clearEnvironment()
            Signals.ignoreOthers()
            // Before any thread is started, so that none of them handles a signal instead of the waiting thread.
            let signals = try SignalQueue(Signals.all)
            let editTokens = try TokenSource(.editing, settings) { log.write($0) }
            let readTokens = try TokenSource(.reading, settings) { log.write($0) }
            let tls = try CertificateSource(settings) { log.write($0) }
            server.certificates = tls?.certificates
            let responder = FirstLoadResponder(api)
            let start = try ServerStart(
                at: targets, handed: manager.sockets, named: settings.origin("Listen"), server, responder)
            let unused = ListenTarget.unused(targets, for: start.bound)
            if !manager.sockets.isEmpty, settings.origin("Listen") != .standard, !unused.isEmpty {
                log.write(Log.Entry(unused: unused, named: settings.name("Listen")))
            }
            start.configuration.hosts = try settings.hosts(at: start.bound, of: targets)
            start.configuration.hostAddresses = try settings.checkedAddresses(start.bound)
            let monitor = try monitoring.map { target in
                try MonitoringStart(at: target, settings, start.configuration, responder)
            }
            let news = try ServiceNews()
            let name = document.name
            var loop = try ServiceLoop(
                ServiceLoop.Parts(
                    name: name, log: log, signals: signals, news: news, start: start, monitor: monitor,
                    responder: responder,
                    manager: manager, certificates: tls, drain: drain
                ) { store in
                    var api = api
                    api.counters = counters
                    api.hidesMetrics = monitor != nil
                    api.certificateExpiry = (tls?.certificates).map { pair in { pair.current.expiry } }
                    api.editing = editTokens.map { source in
                        var editing = LevelsAPI.Editing(store) { source.tokens }
                        editing.maximumDocumentBytes = documentBytes
                        editing.log = { log.write(Log.Entry($0)) }
                        return editing
                    }
                    api.reading = readTokens.map { source in
                        var reading = LevelsAPI.Reading { source.tokens }
                        reading.log = { log.write(Log.Entry($0)) }
                        return reading
                    }
                    return LevelsAPI(store.publications, configuration: api) {
                        Readiness(source: name, lastError: store.status.lastError)
                    }
                })
            // The first document may take long to arrive over a network.
            _ = try Thread(name: "first-load") {
                news.post(
                    .firstLoad(
                        Result {
                            try TreeStore(document, historyBytes: historyBytes, progress: progress) { event in
                                counters.note(event)
                                Log.Entry.entries(for: event, of: name).forEach(log.write)
                                if manager.notifications != nil { news.post(.changed) }
                            }
                        }))
            }
            return loop.run()
        } catch {
            let text = error is ServerError || error is ServiceManagerError ? "\(error)." : "\(error)"
            log.write(Log.Entry(start: error, text))
            return 1
        }
    }
}
