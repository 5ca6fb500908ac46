public import Foundation

/// A drilldown service, reached over HTTP.
///
/// ```swift
/// let server = try Server("http://127.0.0.1:8080")
/// let level = try await server.level(at: .root)
/// ```
///
/// One value serves a whole app: it may be used from everywhere at once.
public final class Server: Sendable {
    /// Where the service is, and how it is asked.
    public let configuration: Configuration
    /// What sends the requests.
    let transport: Transport
    /// What earlier answers were read as.
    let memory: AnswerMemory
    /// The levels that are being observed.
    let observations: LevelObservations
    /// The folder of the last known levels, if there is one.
    let levelCache: LevelCache?

    /// A service with a configuration. Nothing is sent before the first request.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        transport = Transport(configuration)
        observations = LevelObservations(transport)
        memory = AnswerMemory(limit: configuration.maximumMemoryBytes)
        levelCache = LevelCache(configuration)
    }

    /// The service at an address such as `http://127.0.0.1:8080`.
    ///
    /// - Parameters:
    ///   - address: an `http` or `https` address; a path in it comes before those of the service.
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

    /// The service at a URL, whose path comes before those of the service.
    ///
    /// - Parameters:
    ///   - url: an `http` or `https` URL; every request to another one ends with a `Problem`.
    ///   - readToken: the token for reading, if the service needs one; if nil, reads are sent with `editToken`.
    ///   - editToken: the token for edits.
    ///   - cacheFolder: a folder in which `updates(of:matching:)` keeps the last known levels; nil to keep none.
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
