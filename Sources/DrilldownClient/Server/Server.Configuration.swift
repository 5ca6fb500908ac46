public import Foundation

extension Server {
    /// Where a service is, and how it is asked.
    public struct Configuration: Hashable, Sendable {
        /// The address of the service; its path comes before those of the service.
        public var url: URL
        /// The token for reading, if the service needs one.
        public var readToken: String?
        /// The token for edits.
        public var editToken: String?
        /// A folder in which the last known levels are kept; nil to keep none.
        public var cacheFolder: URL?
        /// How many bytes the files in that folder may have together; the levels that were used least recently leave first.
        public var cacheBytes = 64 << 20
        /// How many seconds one request waits for a change; less than 60, since many proxies give up then.
        public var waitSeconds = 30
        /// How many seconds the server may send nothing, beyond those that it was asked to wait.
        public var timeout: Double = 30
        /// The length of the longest answer that is read, in bytes after decompression.
        public var maximumAnswerBytes = 256 << 20
        /// How many bytes of answers are remembered to be asked for by their tag.
        public var memoryBytes = 32 << 20

        /// The configuration for a service at a URL.
        public init(url: URL) { self.url = url }

        /// The configuration for a service at an address such as `http://127.0.0.1:8080`.
        ///
        /// - Throws: `Problem` of the kind `.badAddress` if this is not an `http` or `https` address.
        public init(_ address: String) throws {
            guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
                scheme == "http" || scheme == "https", url.host?.isEmpty == false
            else { throw Problem.badAddress(address) }
            self.init(url: url)
        }
    }
}
