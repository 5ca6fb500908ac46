import HTTPServer
import LevelsAPI
import ServiceManager

/// A server that is bound and not started yet.
final class ServerStart {
    private var configuration: Server.Configuration
    private let responder: FirstLoadResponder
    private var listener: Listener?
    /// Whether connections may wait until the document is loaded.
    ///
    /// The clients of a socket that the service manager keeps should not notice a restart.
    let mayWait: Bool
    /// The address that the system has bound.
    let bound: BoundAddress
    /// The same as the log tells it.
    let address: ServedAddress

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - handed: the socket of the service manager, which takes precedence over the target.
    ///   - hosts: the hosts to answer to at an address.
    /// - Throws: `ServerError` if that cannot be done, and what `hosts` throws.
    init(
        at target: ListenTarget, handed: HandedSocket?, _ configuration: Server.Configuration,
        _ responder: FirstLoadResponder, hosts: (BoundAddress) throws(UsageError) -> AllowedHosts?
    ) throws {
        (self.configuration, self.responder) = (configuration, responder)
        let listener = try target.listener(handed: handed)
        bound = listener.address
        address = ServedAddress(
            bound, of: handed == nil ? target : nil, isSecure: configuration.certificates != nil)
        mayWait = handed != nil
        self.configuration.hosts = try hosts(bound)
        self.listener = consume listener
    }

    /// Starts to serve; once.
    ///
    /// - Throws: `ServerError` if the system refuses descriptors, threads or memory.
    func server() throws(ServerError) -> Server? {
        guard let listener = listener.take() else { return nil }
        return try Server(configuration: configuration, responder: responder, listener: listener)
    }
}
