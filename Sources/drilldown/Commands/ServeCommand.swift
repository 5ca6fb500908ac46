import DatabaseTables
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
    /// The number of descriptors that the store opens after the server has started, for wake-ups, for watching the
    /// source, and for three files and folders during a load or a save. One is subtracted for the listening socket,
    /// because this socket is already open when the server counts.
    private static let storeDescriptors = 6

    /// Serves the document until a signal to stop arrives. The signal ends the process with status 0.
    ///
    /// - Returns: exit status 1 if the service cannot start.
    /// - Throws: `UsageError` for an invalid address of the document, or for an option that does not apply to the
    ///   document.
    static func run(_ settings: Settings) throws(UsageError) -> Int32 {
        let log = settings.log
        MemoryBudget.setLimit(settings.memoryLimit ?? ControlGroup.memoryLimit ?? .max)
        HeapMemory.prepareReserve()
        var settings = settings
        let progress = ProgressDisplay.start(log.progressStyle)
        settings.interpretation.progress = progress
        settings.api.longestReading = settings.tables.timeout
        let document = try settings.document { log.write(Log.Entry($0)) }
        var server = settings.server
        server.basePath = settings.api.basePath
        let targets = settings.listenTargets
        let (api, documentBytes, historyBytes) = (
            settings.api, settings.interpretation.maximumBytes, settings.historyBytes
        )
        server.laterDescriptors = storeDescriptors + (settings.metricsTarget == nil ? 0 : MonitoringStart.descriptors)
        server.faultLog = { log.write(Log.Entry($0)) }
        if settings.logsAccess { server.accessLog = { log.write(Log.Entry($0)) } }
        let counters = ServiceCounters(version: Help.versionNumber)
        server.counters = counters.server
        do {
            let manager = try ServiceEnvironment(environment: environment())
            ServiceEnvironment.clearEnvironment()
            Signals.ignoreOthers()
            // Blocks the signals on this thread. `Thread` blocks them on all other threads, so that only the queue
            // receives them.
            let signals = try SignalQueue(Signals.all)
            let editTokens = try TokenSource(purpose: .editing, settings: settings) { log.write($0) }
            let readTokens = try TokenSource(purpose: .reading, settings: settings) { log.write($0) }
            let tls = try CertificateSource(settings: settings) { log.write($0) }
            server.certificates = tls?.certificates
            let responder = FirstLoadResponder(api)
            let start = try ServerStart(
                at: targets, handed: manager.sockets, named: settings.origin(\.listenTargets), configuration: server,
                responder: responder)
            let unused = ListenTarget.unused(targets, for: start.bound)
            if !manager.sockets.isEmpty, settings.origin(\.listenTargets) != .standard, !unused.isEmpty {
                log.write(Log.Entry(unused: unused, named: settings.name(\.listenTargets)))
            }
            start.configuration.hosts = settings.hosts(at: start.bound, of: targets)
            start.configuration.hostAddresses = settings.checkedAddresses(start.bound)
            let monitor = try settings.metricsTarget.map { target in
                try MonitoringStart(at: target, settings: settings, service: start.configuration, responder: responder)
            }
            let news = try ServiceNews()
            let name = document.name
            var loop = try ServiceLoop(
                ServiceLoop.Parts(
                    name: name, log: log, signals: signals, news: news, start: start, monitor: monitor,
                    responder: responder,
                    manager: manager, certificates: tls, drain: settings.drain
                ) { store in
                    var api = api
                    api.counters = counters
                    api.hidesMetrics = monitor != nil
                    api.certificateExpiry = (tls?.certificates).map { pair in { pair.current.expiry } }
                    api.editing = editTokens.map { source in
                        var editing = LevelsAPI.Editing(editor: store, access: source.access(log))
                        editing.maximumDocumentBytes = documentBytes
                        return editing
                    }
                    api.reading = readTokens.map { $0.access(log) }
                    return LevelsAPI(publications: store.publications, configuration: api) {
                        Readiness(
                            source: name, lastError: store.status.lastError, database: store.connection)
                    }
                })
            // The first load has its own thread, because a document may take long to arrive over a network.
            _ = try Thread(name: "first-load") {
                news.post(
                    .firstLoad(
                        Result {
                            try TreeStore(source: document, historyBytes: historyBytes, progress: progress) { event in
                                counters.note(event)
                                if case .readOnly = event, editTokens == nil { return }
                                Log.Entry.entries(for: event, of: name).forEach(log.write)
                                if manager.notifications != nil { news.post(.changed) }
                            }
                        }))
            }
            return loop.run()
        } catch {
            let text = error is ServerError || error is ServiceManagerError ? "\(error)." : "\(error)"
            log.write(Log.Entry(start: error, text: text))
            // If the document cannot be opened, this is reported as well, so that the user can correct both errors
            // together.
            if let refusal = (document as? PropertyListFile)?.openingRefusal() {
                log.write(Log.Entry(start: refusal, text: "\(refusal)"))
            }
            return 1
        }
    }
}
