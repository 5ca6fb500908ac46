import Glibc

extension Server {
    /// How a server listens, and what it bears.
    public struct Configuration: Sendable {
        /// A host name or an address; an IPv6 address with or without brackets.
        public var host = "127.0.0.1"
        /// The port; 0 takes a free one.
        public var port: UInt16 = 0
        /// The number of threads that serve; 0 is one per core.
        public var threads = 0
        /// How many connections there may be: 0 is as many as the process may open descriptors for, which is the most.
        public var connectionLimit = 0
        /// How many connections one address may have; 0 is no limit.
        public var connectionLimitPerAddress = 0
        /// How long a connection may wait for its next request; 0 is for ever.
        public var idleTimeout: Duration = .seconds(30)
        /// How long a request may take to arrive, and its answer to be taken; 0 is for ever.
        ///
        /// A large answer has more time: see `slowestReader`.
        public var requestDeadline: Duration = .seconds(30)
        /// The bytes of a large answer that a client must take per second.
        public var slowestReader = 16 << 10
        /// How long a client of an event stream may leave unread what was sent; 0 is for ever.
        public var unreadTimeout: Duration = .seconds(30)
        /// How long a request's body may be, in bytes.
        public var bodyLimit = 1 << 20
        /// How long the request line and the header may be together, in bytes.
        ///
        /// That many fit with up to 90 lines, and about 300 short lines do: memory that is 8 KiB longer than this also
        /// holds a record of 64 bytes for each line and each cookie, and a copy of a `Cookie` field.
        public var headerLimit = 16 << 10
        /// How many sockets may linger; beyond that, connections are closed at once.
        var lingeringLimit = 256
        /// Called after each answer, on the thread that served it.
        public var accessLog: (@Sendable (AccessEntry) -> Void)?
        /// Called when an answer cannot be sent, on the thread that serves it.
        public var faultLog: (@Sendable (UnsentAnswer) -> Void)?

        /// Makes the configuration that is right for most.
        public init() {}
    }
}

extension Server.Configuration {
    /// Fills in what was left open, and keeps the connections within the descriptors of the process.
    /// - Throws: `ServerError.tooFewDescriptors` if there are too few to serve at all.
    func fitted(to descriptors: DescriptorLimit) throws(ServerError) -> Server.Configuration {
        var fitted = self
        let wanted = threads > 0 ? threads : sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let budget = try DescriptorBudget(descriptors, threads: min(max(wanted, 1), 256))
        fitted.connectionLimit = connectionLimit > 0 ? min(connectionLimit, budget.connections) : budget.connections
        // The library divides the connections among the threads; one without a share would serve nobody.
        fitted.threads = min(budget.threads, fitted.connectionLimit)
        fitted.lingeringLimit = budget.lingering
        fitted.connectionLimitPerAddress = min(max(connectionLimitPerAddress, 0), 1 << 20)
        fitted.headerLimit = min(max(headerLimit, 1 << 10), 1 << 20)
        return fitted
    }
}
