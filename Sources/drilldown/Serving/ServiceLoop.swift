import Glibc
import HTTPServer
import Levels
import LevelsAPI
import Locking
import PropertyLists
import ServiceManager
import Threads
import TreeStore

/// The loop of the main thread, from the first load to the stop. It waits for signals, for news from other threads, and
/// for points in time.
struct ServiceLoop: ~Copyable {
    struct Parts {
        let name: String
        let log: Log
        let signals: SignalQueue
        let news: ServiceNews
        let start: ServerStart
        /// The server of metrics and probes; nil if the service's own addresses serve them.
        let monitor: MonitoringStart?
        let responder: FirstLoadResponder
        let manager: ServiceEnvironment
        /// The certificate; nil for HTTP.
        let certificates: CertificateSource?
        /// The time to keep serving after the first signal to stop.
        let drain: Duration
        /// Makes the API of the store.
        let api: (TreeStore) -> LevelsAPI
    }

    /// The parts that exist after the first load.
    private struct Serving {
        let store: TreeStore
        let api: LevelsAPI
    }

    private let parts: Parts
    private var reports: ManagerReports
    /// The server; nil until it is started.
    private var server: Server?
    private var serving: Serving?
    private var watchdog: Watchdog?
    /// The time of the next notice of a long first load.
    private var loadingNotice = ContinuousClock.now + Self.longLoad
    private var isLongLoad = false
    /// The number of reloads in progress that SIGHUP has requested.
    private var reloads = 0
    /// Whether SIGHUP has arrived during the first load, so that a reload must follow the first load.
    private var isReloadWanted = false
    /// The time when draining ends and the service stops; nil before the first signal to stop.
    private var drainEnd: ContinuousClock.Instant?
    /// The exit status if the service cannot start; otherwise nil.
    private var status: Int32?

    /// The time after which a first load is reported as long.
    private static let longLoad = Duration.seconds(1)
    /// The time between two requests to the service manager for more time, and the time that one request asks for.
    private static let (extensionPeriod, extensionTime) = (Duration.seconds(10), Duration.seconds(30))
    /// The maximum time for running requests to finish when the server stops.
    private static let grace = Duration.milliseconds(1_500)
    /// The maximum time for running requests to finish when the server stops before the first load has ended.
    private static let earlyGrace = Duration.milliseconds(100)
    /// The maximum time for edits in progress to be saved when the server stops.
    private static let editGrace = Duration.seconds(5)

    /// Starts the server, unless connections may wait for the first load.
    ///
    /// - Throws: `ServerError` if the server cannot be started.
    init(_ parts: Parts) throws(ServerError) {
        self.parts = parts
        if !parts.start.mayWait { server = try parts.start.started() }
        reports = ManagerReports(socket: parts.manager.notifications, log: parts.log)
    }

    /// Runs until a signal to stop arrives. The signal ends the process with status 0.
    ///
    /// - Returns: exit status 1 if the first load is refused, or the server cannot be started.
    mutating func run() -> Int32 {
        reports.show("Loading \(parts.name).")
        while true {
            wait()
            while let signal = parts.signals.next() { take(signal) }
            for item in parts.news.take() { take(item) }
            if status == nil { takeTurn() }
            if let status { return status }
        }
    }

    private func wait() {
        var waits = WaitSet()
        waits.add(parts.signals.descriptor)
        waits.add(parts.news.descriptor)
        watchdog?.addWaits(to: &waits)
        if serving == nil { waits.wake(by: loadingNotice) }
        if let due = reports.nextStatus { waits.wake(by: due) }
        if let drainEnd { waits.wake(by: drainEnd) }
        waits.wait()
    }

    private mutating func takeTurn() {
        if let drainEnd, ContinuousClock.now >= drainEnd { stop() }
        if watchdog?.advance() == true { reports.send(.watchdog) }
        reports.showWanted()
        guard serving == nil, ContinuousClock.now >= loadingNotice else { return }
        loadingNotice = .now + Self.extensionPeriod
        reports.send(.extendTimeout(by: Self.extensionTime))
        if !isLongLoad { noteLongLoad() }
    }

    private mutating func noteLongLoad() {
        isLongLoad = true
        do throws(ServerError) {
            _ = try startedServer()
            parts.log.write(Log.Entry(loading: parts.name, for: parts.start.addresses))
        } catch {
            fail(error)
        }
    }

    private mutating func startedServer() throws(ServerError) -> Server {
        let started = try parts.start.started()
        server = started
        return started
    }

    // MARK: Signals

    private mutating func take(_ signal: Int32) {
        if signal == SIGHUP { reload() } else { drain() }
    }

    private mutating func reload() {
        parts.certificates?.check()
        // The service manager already knows that the service stops.
        guard drainEnd == nil else { return }
        guard let serving else {
            isReloadWanted = true
            return
        }
        reports.reloading()
        reloads += 1
        serving.store.reload { [news = parts.news] _ in news.post(.reloaded) }
    }

    /// Keeps serving for the time of `--drain`, so that load balancers can turn to another service. A second signal
    /// stops the service at once.
    private mutating func drain() {
        guard let serving, parts.drain > .zero, drainEnd == nil else { stop() }
        drainEnd = .now + parts.drain
        serving.api.beginDraining()
        reports.stopping("Draining.")
        parts.log.write(
            Log.Entry(
                severity: .info, event: "draining",
                text:
                    "draining: /readyz is 503, and requests are served for \(parts.drain) more; a second signal stops at once"
            ))
    }

    private mutating func stop() -> Never {
        reports.stopping("Stopping.")
        // This wait comes before the connections are closed, so that every edit in progress is answered.
        serving?.api.finishEdits(until: .now + Self.editGrace)
        server?.stop(grace: serving == nil ? Self.earlyGrace : Self.grace)
        parts.monitor?.stop()
        parts.log.write(Log.Entry(severity: .info, event: "stopped", text: "stopped"))
        StandardError.shared.clearAtOnce()
        // The store is not stopped, because that would wait for a load in progress. Edits have been awaited above.
        _exit(0)
    }

    // MARK: News

    private mutating func take(_ item: ServiceNews.Item) {
        switch item {
        case .firstLoad(.success(let store)): serve(store)
        case .firstLoad(.failure(let error)): fail(error)
        case .reloaded:
            reloads -= 1
            if reloads == 0, let sentence { reports.ready(sentence) }
        case .changed:
            if let sentence { reports.show(sentence) }
        }
    }

    private mutating func fail(_ error: any Error) {
        let sentence = error is ServerError ? "\(error)." : "\(error)"
        parts.log.write(Log.Entry(start: error, text: sentence))
        reports.send(.status(sentence))
        server?.stop(grace: Self.earlyGrace)
        status = 1
    }

    private mutating func serve(_ store: TreeStore) {
        let api = parts.api(store)
        parts.responder.serve(api)
        do {
            let server = try startedServer()
            if let interval = parts.manager.watchdogInterval {
                watchdog = try Watchdog(interval: interval, server: server, store: store)
            }
        } catch {
            return fail(error)
        }
        serving = Serving(store: store, api: api)
        parts.log.write(
            Log.Entry(
                serving: parts.name, count: store.current.servedCount, at: parts.start.addresses,
                monitoring: parts.monitor?.address))
        if let sentence { reports.ready(sentence) }
        if isReloadWanted { reload() }
    }

    /// The served document as a sentence for the service manager; nil before the first load.
    private var sentence: String? {
        guard let store = serving?.store else { return nil }
        let current = store.current
        let served =
            "Serving \(parts.name): \(current.servedCount), revision \(current.revision)."
        return served + (store.status.lastError.map { " A newer version is refused: \($0)" } ?? "")
    }
}

/// The news from other threads to the main thread.
final class ServiceNews: Sendable {
    enum Item: Sendable {
        /// The first load has ended.
        case firstLoad(Result<TreeStore, any Error>)
        /// A reload requested by SIGHUP has ended.
        case reloaded
        /// The served tree or its status has changed.
        case changed
    }

    private let items = Guarded<[Item]>([])
    private let wakeup: Wakeup

    /// - Throws: `SystemCallError` if no descriptor is available.
    init() throws(SystemCallError) { wakeup = try Wakeup() }

    /// Readable while there are items.
    var descriptor: Int32 { wakeup.descriptor }

    func post(_ item: Item) {
        items.withLock { items in
            // Changes that follow each other are one item.
            if case .changed = item, case .changed? = items.last { return }
            items.append(item)
        }
        wakeup.signal()
    }

    func take() -> [Item] {
        _ = wakeup.reset()
        return items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
