import HTTPServer
import LevelsAPI
import ServiceManager

/// A server that is bound but not yet started.
final class ServerStart {
    var configuration: Server.Configuration
    private let responder: FirstLoadResponder
    private var listeners: [Listener]
    private var server: Server?
    /// Whether connections may wait until the document is loaded.
    ///
    /// This is true for sockets of the service manager, because their clients should not notice a restart.
    let mayWait: Bool
    /// The addresses that the system has bound.
    let bound: [BoundAddress]
    /// The targets of the bound addresses; nil for the sockets of the service manager.
    private let targets: [ListenTarget?]

    /// Binds the targets or takes the handed sockets, and listens.
    ///
    /// - Parameters:
    ///   - handed: the sockets of the service manager, which take precedence over the targets.
    ///   - origin: the origin of the targets.
    /// - Throws: `ServerError` or `StartRefusal` if the server cannot listen.
    init(
        at targets: [ListenTarget], handed: [HandedSocket], named origin: Settings.Origin,
        configuration: Server.Configuration, responder: FirstLoadResponder
    ) throws {
        (self.configuration, self.responder) = (configuration, responder)
        mayWait = !handed.isEmpty
        listeners =
            mayWait
            ? try handed.map { socket in
                try Listener(inherited: socket.descriptor, named: "the socket '\(socket.name)' of the service manager")
            } : try targets.map { target in try target.listener(named: origin) }
        bound = listeners.map(\.address)
        self.targets = mayWait ? bound.map { _ in nil } : targets.map(Optional.some)
    }

    /// The addresses as the log shows them.
    var addresses: [ServedAddress] {
        zip(bound, targets).map { bound, target in
            ServedAddress(
                target: ListenTarget(bound: bound, named: target), isSecure: configuration.certificates != nil,
                // If hosts are checked, the server refuses a request that names an address of the machine.
                reachableHosts: configuration.hosts(at: bound) == nil ? bound.reachableHosts : [])
        }
    }

    /// Returns the server. The first call starts it.
    ///
    /// - Throws: `ServerError` if the system refuses descriptors, threads or memory.
    func started() throws(ServerError) -> Server {
        if let server { return server }
        let made = try Server(configuration: configuration, responder: responder, listeners: listeners)
        listeners = []
        server = made
        return made
    }
}

/// The server of metrics and probes, if they have their own address.
///
/// This server has its own thread and connections, so that many clients of the service cannot block monitoring. It
/// still runs while the other server stops. It speaks HTTP without TLS, as probes and Prometheus do by default.
final class MonitoringStart {
    private let server: Server
    let address: ServedAddress

    private static let connections = 64
    /// The maximum number of descriptors that the server opens.
    static let descriptors = connections + 16

    /// Binds and starts to serve.
    ///
    /// - Parameters:
    ///   - settings: the settings, for the origin of the target and the accepted hosts.
    ///   - service: the configuration of the service, for its logs and counters.
    /// - Throws: `ServerError` or `StartRefusal` if the server cannot start.
    init(
        at target: ListenTarget, settings: Settings, service: Server.Configuration, responder: FirstLoadResponder
    ) throws {
        let listener = try target.listener(named: settings.origin(\.metricsTarget))
        var configuration = service
        configuration.threads = 1
        configuration.connectionLimit = Self.connections
        configuration.connectionLimitPerAddress = 0
        configuration.laterDescriptors = 0
        configuration.certificates = nil
        configuration.countsConnections = false
        configuration.hosts = settings.hosts(at: [listener.address], of: [target])
        configuration.hostAddresses = nil
        server = try Server(
            configuration: configuration, responder: MonitoringResponder(responder), listeners: [listener])
        address = ServedAddress(target: ListenTarget(bound: listener.address, named: target))
    }

    func stop() { server.stop(grace: .milliseconds(100)) }
}
