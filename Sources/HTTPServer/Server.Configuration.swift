extension Server {
    /// How a server listens, and what it bears.
    public struct Configuration: Sendable {
        /// A host name or an address; an IPv6 address with or without brackets.
        public var host = "127.0.0.1"
        /// 0 takes a free port.
        public var port: UInt16 = 0
        /// The number of threads that serve; 0 is one per core.
        public var threads = 0
        /// How many connections there may be; fitted to the descriptors that the process may open. 0 is as many as fit.
        public var connectionLimit = 0
        /// How many connections one address may have; 0 is no limit.
        public var connectionLimitPerAddress = 0
        /// How long a connection may wait for its next request.
        public var idleTimeout: Duration = .seconds(30)
        /// How long a request may take to arrive, and its answer to be taken: longer only for a large answer.
        public var requestDeadline: Duration = .seconds(30)
        /// The bytes of a large answer that a client must take per second.
        public var slowestReader = 16 << 10
        /// How long a request's body may be, in bytes.
        public var bodyLimit = 1 << 20
        /// How long request line and header may be together, in bytes.
        public var headerLimit = 16 << 10
        /// Called after each answer, on the thread that served it.
        public var accessLog: (@Sendable (AccessEntry) -> Void)?

        public init() {}
    }
}

/// One answered request, for an access log.
public struct AccessEntry: Sendable {
    /// The client's address.
    public let peer: String
    public let method: Method
    /// The raw target.
    public let target: String
    public let status: Int
    /// The bytes of the body; 0 for a stream.
    public let size: Int
    /// From the request line to the last byte of the answer.
    public let duration: Duration
    /// Whether the answer went out whole.
    public let completed: Bool
}
