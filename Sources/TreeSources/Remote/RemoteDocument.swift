public import Levels

/// A property list behind a URL as a source, fetched anew when it changes; XML, binary or JSON, told from its content.
public struct RemoteDocument: TreeSource {
    /// How much an origin may take, in bytes and in time.
    public struct Limits: Sendable {
        /// A document with more bytes is refused, counted as they are once they are unpacked.
        public var bytes: Int
        /// How long the origin may say nothing, or next to nothing.
        public var patience: Duration

        public init(bytes: Int = PropertyListFile.defaultMaximumBytes, patience: Duration = .seconds(30)) {
            self.bytes = bytes
            self.patience = patience
        }

        /// How often the origin may send the request elsewhere.
        static let redirects = 5

        /// How long a connection may take to come about: a server that is there needs no longer.
        var connectSeconds: Int { max(1, min(10, Int(patience.components.seconds))) }
    }

    public let address: RemoteAddress
    public var interpretation: Interpretation
    public var limits: Limits
    /// How often the origin is asked, where it does not hold its answers back until there is news.
    public var interval: Duration
    /// Where the latest document is kept for the next start; nil for nowhere.
    public var copyPath: String?
    /// Told what is odd about that copy, on the thread that loads.
    public var onNotice: @Sendable (SourceNotice) -> Void

    public init(
        _ address: RemoteAddress, interpretation: Interpretation = .init(), limits: Limits = .init(),
        interval: Duration = .seconds(60), copyPath: String? = nil,
        onNotice: @escaping @Sendable (SourceNotice) -> Void = { _ in }
    ) {
        self.address = address
        self.interpretation = interpretation
        self.limits = limits
        self.interval = interval
        self.copyPath = copyPath
        self.onNotice = onNotice
    }

    public var name: String { address.shown }

    /// Fetches the document, whatever copy there may be, and however long that takes.
    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        let fetcher = try Fetcher(address, limits: limits)
        let document = try fetcher.fetch(FetchRequest())
        return try load(document, replacing: old)
    }

    /// Reads what was fetched.
    func load(_ document: FetchedDocument, replacing old: Level?) throws(SourceError) -> LoadedTree {
        do throws(SourceError) {
            return try interpretation.load(document.file, named: name, pool: old.map(LevelPool.init))
        } catch {
            guard let mistaken = mistakenAnswer(document) else { throw error }
            throw SourceError(name, mistaken.reason(at: name))
        }
    }

    private func mistakenAnswer(_ document: FetchedDocument) -> MistakenAnswer? {
        do {
            return MistakenAnswer(head: try document.file.head())
        } catch {
            return nil
        }
    }

    /// Nothing but the origin knows.
    public var identity: FileIdentity? { nil }

    public var retryInterval: Duration? { nil }

    public func watcher(waker: Waker) -> any SourceWatcher { RemoteWatcher(self, waker: waker) }
}
