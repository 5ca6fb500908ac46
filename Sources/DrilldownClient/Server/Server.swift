public import Foundation

/// A drilldown service, reached over HTTP.
///
/// ```swift
/// let server = try Server("http://127.0.0.1:8080")
/// let level = try await server.level(at: .root)
/// ```
///
/// One value is enough for a whole app: it can be used by several tasks at the same time.
public final class Server: Sendable {
    /// The address of a service, its tokens, and the limits of the client.
    public typealias Configuration = ServerConfiguration

    let transport: Transport
    let observations: Observations

    /// The configuration from `init`.
    public var configuration: Configuration { transport.configuration }

    /// The reason why the latest observed level could not be written to the cache folder; nil if it was written.
    ///
    /// ```swift
    /// if let problem = server.cacheProblem { print(problem) }
    /// ```
    public var cacheProblem: Problem? { observations.cache?.problem }

    /// Waits until the observed levels are written to the cache folder; call it before the program ends.
    public func flushCache() async { await observations.cache?.flush() }

    /// Creates a client of a service with a configuration, without sending a request.
    public init(_ configuration: Configuration) {
        transport = Transport(configuration)
        observations = Observations(transport)
    }

    /// Creates a client of the service at an address such as `http://127.0.0.1:8080`.
    ///
    /// - Parameters:
    ///   - address: an `http` or `https` address; its path precedes the paths of the service.
    ///   - readToken: the token for reading, if the service needs one; if nil, reads are sent with `editToken`.
    ///   - editToken: the token for edits.
    ///   - cacheFolder: a folder in which `updates(of:matching:)` keeps the last known levels; nil to keep none.
    /// - Throws: `Problem` of the kind `.badAddress` if this is not an address of a service.
    public convenience init(
        _ address: String, readToken: String? = nil, editToken: String? = nil, cacheFolder: URL? = nil
    ) throws {
        let url = try Configuration(address).url
        self.init(url, readToken: readToken, editToken: editToken, cacheFolder: cacheFolder)
    }

    /// Creates a client of the service at a URL; the other parameters are the same as for an address.
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
