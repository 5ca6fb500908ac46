import Glibc

extension Server {
    /// The limits and the logs of a server.
    public struct Configuration: Sendable {
        /// The number of descriptors that the program opens after the start of the server and keeps open.
        public var laterDescriptors = 0
        /// The number of threads that serve; 0 means one per core.
        public var threads = 0
        /// The maximum number of connections; 0 means as many as the descriptors of the process allow.
        public var connectionLimit = 0
        /// The maximum number of connections from one address; 0 means no limit.
        public var connectionLimitPerAddress = 0
        /// The time that a connection may wait for its next request; 0 means no limit.
        public var idleTimeout: Duration = .seconds(30)
        /// The time that a request may take to arrive, and the time for which a client may stop reading the response; 0
        /// means no limit.
        ///
        /// A body that is larger than `bodyLimit` has more time: see `slowestSender`.
        public var requestDeadline: Duration = .seconds(30)
        /// The minimum rate at which a client must send a body that is larger than `bodyLimit`, in bytes per second.
        public var slowestSender = 16 << 10
        /// The time that the client of an event stream may leave sent data unread; 0 means no limit.
        public var unreadTimeout: Duration = .seconds(30)
        /// The maximum size of a request's body, in bytes.
        public var bodyLimit = 1 << 20
        /// The maximum number of lingering sockets. Beyond this number, connections are closed immediately.
        var lingeringLimit = 256
        /// The path under which a proxy serves the service, such as `/music`; empty without such a path. It is removed
        /// from each target that begins with it.
        public var basePath = ""
        /// The certificate and key for HTTPS; nil for HTTP.
        public var certificates: Certificates?
        /// The hosts that the server answers to; nil for all.
        public var hosts: AllowedHosts?
        /// The listening addresses at which `hosts` is checked; nil for all.
        public var hostAddresses: [BoundAddress]?
        /// The proxies that the server trusts to name the address of the client; nil for none.
        public var proxies: TrustedProxies?
        /// Counts the connections and the requests.
        public var counters = ServerCounters()
        /// Whether this server counts its connections in `counters` and sets the connection limit there.
        ///
        /// False for a second server with the same counters; such a server counts only its requests.
        public var countsConnections = true
        /// Called after each response, on the thread that served it.
        public var accessLog: (@Sendable (AccessEntry) -> Void)?
        /// Called for each response of status 500 and each response that cannot be sent, on the thread that serves it.
        public var faultLog: (@Sendable (RequestFault) -> Void)?

        /// The defaults.
        public init() {}
    }
}

extension Server.Configuration {
    /// The hosts that the server answers to on a connection; nil for all.
    func hosts(at descriptor: Int32) -> AllowedHosts? {
        guard hosts != nil, hostAddresses != nil, let address = BoundAddress(of: descriptor) else { return hosts }
        return hosts(at: address)
    }

    /// The hosts that the server answers to at an address; nil for all.
    public func hosts(at address: BoundAddress) -> AllowedHosts? {
        hostAddresses?.contains(address) == false ? nil : hosts
    }

    /// The configuration with actual numbers in place of zeros, and with no more connections than the process has
    /// descriptors for.
    ///
    /// - Throws: `ServerError.tooFewDescriptors` if the process may open too few descriptors to serve at all.
    func fitted(to descriptors: DescriptorLimit) throws(ServerError) -> Server.Configuration {
        var fitted = self
        let wanted = threads > 0 ? threads : sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let descriptors = DescriptorLimit(limit: descriptors.limit, inUse: descriptors.inUse + laterDescriptors)
        let budget = try DescriptorBudget(descriptors: descriptors, threads: min(max(wanted, 1), 256))
        fitted.connectionLimit = connectionLimit > 0 ? min(connectionLimit, budget.connections) : budget.connections
        // The library divides the connections among the threads; a thread without a share would serve nothing.
        fitted.threads = min(budget.threads, fitted.connectionLimit)
        fitted.lingeringLimit = budget.lingering
        fitted.connectionLimitPerAddress = min(max(connectionLimitPerAddress, 0), 1 << 20)
        return fitted
    }
}

extension Server {
    /// The number of files that the bodies of responses may have open at the same time.
    ///
    /// The limit leaves enough descriptors for connections and reloads.
    public static let openFileLimit = 4 + DescriptorBudget.files(within: DescriptorLimit.raise().limit)

    /// The number of descriptors that the process has open; nil if it cannot be read (proc(5)).
    public static var openDescriptors: Int? { DescriptorLimit.openCount() }
}
