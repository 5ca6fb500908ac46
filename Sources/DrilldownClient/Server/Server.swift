public import Foundation

/// A drilldown service, reached over HTTP.
///
/// ```swift
/// let server = try Server("http://127.0.0.1:8080")
/// let level = try await server.level(at: .root)
/// ```
///
/// One instance is enough for a whole app, because several tasks can use it at the same time.
public final class Server: Sendable {
    /// The address of a service, its tokens, and the limits of the client.
    public typealias Configuration = ServerConfiguration

    let transport: Transport
    let observations: Observations

    /// The edits that wait until the service can be reached; nil without an `outboxFile` in the configuration.
    public let outbox: Outbox?

    /// The configuration with which the server was created.
    public var configuration: Configuration { transport.configuration }

    /// The reason why the last attempt to write to the cache folder failed; nil if the attempt succeeded.
    ///
    /// ```swift
    /// if let problem = server.cacheProblem { print(problem) }
    /// ```
    public var cacheProblem: Problem? { observations.cache?.problem }

    /// Waits until the observed levels and details are written to the cache folder; call it before the program ends.
    public func flushCache() async { await observations.cache?.flush() }

    /// Creates a client of a service with a configuration, without sending a request.
    public init(_ configuration: Configuration) {
        transport = Transport(configuration)
        observations = Observations(transport)
        outbox = configuration.outboxFile.map { [transport, observations] in
            Outbox(OutboxFile(url: $0), transport: transport, backoff: observations.backoff)
        }
    }

    /// Creates a client of the service at an address such as `http://127.0.0.1:8080`.
    ///
    /// - Parameters:
    ///   - address: an `http` or `https` address. If it has a path, the path is put before the path of each request.
    ///   - readToken: the token for reading, if the service needs a token; nil to read with `editToken`.
    ///   - editToken: the token for edits.
    ///   - cacheFolder: a folder that keeps the last known levels and details; nil to keep nothing.
    /// - Throws: `Problem` of the kind `.badAddress` if `address` cannot be the address of a service.
    public convenience init(
        _ address: String, readToken: String? = nil, editToken: String? = nil, cacheFolder: URL? = nil
    ) throws(Problem) {
        let url = try Configuration(address).url
        self.init(url, readToken: readToken, editToken: editToken, cacheFolder: cacheFolder)
    }

    /// Creates a client of the service at a URL.
    ///
    /// The other parameters have the same meaning as in the initializer that takes an address.
    ///
    /// If the scheme of the URL is not `http` or `https`, every request throws a `Problem`.
    public convenience init(
        _ url: URL, readToken: String? = nil, editToken: String? = nil, cacheFolder: URL? = nil
    ) {
        var configuration = Configuration(url: url)
        configuration.readToken = readToken
        configuration.editToken = editToken
        configuration.cacheFolder = cacheFolder
        self.init(configuration)
    }
}
