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
    let transport: Transport
    /// What earlier answers were read as.
    let memory: AnswerMemory
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

extension Server {
    /// Where a service is, and how it is asked.
    public struct Configuration: Hashable, Sendable {
        /// The address of the service; its path comes before those of the service.
        public var url: URL
        /// The token for reading, if the service needs one; if nil, reads are sent with `editToken`.
        public var readToken: String?
        /// The token for edits.
        public var editToken: String?
        /// A folder in which `updates(of:matching:)` keeps the last known levels; nil to keep none. No other method uses it.
        public var cacheFolder: URL?
        /// Maximum total size in bytes; the least recently used levels are removed first.
        public var maximumCacheBytes = 64 << 20
        /// How many seconds one request waits for a change, from 1 to 300; less than 60, since many proxies give up then.
        public var waitSeconds = 30
        /// Idle timeout in seconds, added to the requested wait.
        public var timeout: Double = 30
        /// The length of the longest answer that is read, in bytes after decompression.
        public var maximumAnswerBytes = 256 << 20
        /// Maximum bytes of answers kept in memory for revalidation.
        public var maximumMemoryBytes = 32 << 20

        /// The configuration for a service at a URL.
        public init(url: URL) { self.url = url }

        /// The configuration for a service at an address such as `http://127.0.0.1:8080`.
        ///
        /// - Throws: `Problem` of the kind `.badAddress` if this is not an `http` or `https` address, or has a query or a
        ///   fragment.
        public init(_ address: String) throws {
            guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
                scheme == "http" || scheme == "https", url.host?.isEmpty == false, url.query == nil, url.fragment == nil
            else { throw Problem.badAddress(address) }
            self.init(url: url)
        }
    }

    /// Sends a request, and waits for an answer that is not a problem.
    ///
    /// - Throws: `Problem` for a status from 400 and if there is no whole answer, `CancellationError`.
    func send(_ request: Request) async throws -> Answer {
        let answer = try await transport.answer(to: request)
        guard answer.status < 400 else { throw Problem(answer, from: address) }
        guard answer.status < 300 || answer.status == 304 else {
            let place = answer.header["location"].map { "it redirects to \($0.prefix(200))" }
            throw Problem.unreadable(answer, from: address, place ?? "its status is \(answer.status)")
        }
        return answer
    }

    /// Reads the JSON of an answer.
    ///
    /// - Throws: `Problem` of the kind `.unreadableAnswer` for anything else.
    func read<Value>(
        _ answer: Answer, as read: (_ bytes: [UInt8]) throws(JSONError) -> Value
    ) throws(Problem) -> Value {
        guard answer.isJSON, (200..<300).contains(answer.status) else {
            let reason = answer.isJSON ? "its status is \(answer.status)" : "it is not announced as JSON"
            throw .unreadable(answer, from: address, reason)
        }
        do {
            return try read([UInt8](answer.body))
        } catch  where error.isTooDeep {
            throw .answerTooDeep(answer.target)
        } catch {
            throw .unreadable(answer, from: address, error.description)
        }
    }

    /// Asks for a value in JSON; if the answer is as it was, it is the value that was read then.
    func value<Value: Sendable>(
        of target: String, as read: (_ bytes: [UInt8]) throws(JSONError) -> Value
    ) async throws -> Value {
        var request = Request(target)
        request.header["Accept"] = "application/json"
        return try await value(of: request) { answer in try self.read(answer, as: read) }
    }

    /// Asks for a value; if the answer is as it was, it is the value that was read then.
    func value<Value: Sendable>(of request: Request, _ read: (Answer) throws -> Value) async throws -> Value {
        var request = request
        let known = memory[request.target]
        let remembered = known?.value as? Value
        if let known, remembered != nil { request.header["If-None-Match"] = known.tag }
        let answer = try await send(request)
        if answer.status == 304 {
            guard let remembered else {
                throw Problem.unreadable(answer, from: address, "its status is 304, although no version was named")
            }
            return remembered
        }
        let value = try read(answer)
        if let tag = answer.entityTag {
            // A value takes about twice the memory of its bytes.
            memory.remember(.init(tag: tag, value: value, cost: 2 * answer.body.count + 256), for: request.target)
        }
        return value
    }

    /// The address of the service, for sentences.
    var address: String { configuration.url.absoluteString }
}
