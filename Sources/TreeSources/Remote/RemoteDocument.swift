public import Levels
internal import PropertyLists

/// A document at a URL as a source, which is fetched again when it changes.
///
/// The media type of the response, or otherwise the name in the URL, tells whether the document is a table. Otherwise,
/// the syntax is detected from the content.
///
///     let address = try RemoteAddress("https://example.com/Data.plist")
///     let loaded = try RemoteDocument(address).load(replacing: nil)
public struct RemoteDocument: TreeSource {
    /// The limits of size and time for an origin.
    public struct Limits: Sendable {
        /// The maximum size of a document in bytes, after content decoding.
        public var bytes: Int
        /// The longest time in which the origin may send nothing, or almost nothing.
        public var patience: Duration

        /// Creates limits; the defaults fit any document that a server can hold.
        public init(bytes: Int = Interpretation.defaultMaximumBytes, patience: Duration = .seconds(30)) {
            self.bytes = bytes
            self.patience = patience
        }

        /// The maximum number of redirects.
        static let redirects = 5

        /// The time limit for connecting, in seconds. A running server does not need longer.
        var connectSeconds: Int { max(1, min(10, Int(patience.components.seconds))) }
    }

    /// The document's URL.
    public let address: RemoteAddress
    /// The rules by which the document's bytes become a tree.
    public var interpretation: Interpretation
    /// The limits for the origin.
    public var limits: Limits
    /// The pause between requests, for an origin that does not hold responses back until the document changes.
    public var interval: Duration
    /// The file that keeps the latest document for the next start, if any.
    public var copyPath: String?
    /// Receives notices about the copy of the document, on the loading thread.
    public var onNotice: @Sendable (SourceNotice) -> Void

    /// Creates a source from the document at a URL; nothing is fetched yet.
    public init(
        address: RemoteAddress, interpretation: Interpretation = .init(), limits: Limits = .init(),
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

    /// Fetches the document, even if a copy exists. Waits for the origin as long as `limits` allow.
    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        let fetcher = try Fetcher(address: address, limits: limits, progress: interpretation.progress)
        let document = try fetcher.fetch(FetchRequest())
        return try load(document, replacing: old)
    }

    /// Reads the fetched document.
    ///
    /// - Parameter kept: what was decided about `old`, if it was read as it is.
    func load(
        _ document: FetchedDocument, replacing old: Level?, keeping kept: KeptReading? = nil
    ) throws(SourceError) -> LoadedTree {
        // An answer of such a server could be read as it is.
        if let mistaken = mistakenAnswer(document), mistaken != .page {
            throw SourceError(name, reason: mistaken.reason(at: name))
        }
        do throws(SourceError) {
            return try interpretation.loadWithoutParts(
                document.file, named: name, hint: hint(mediaType: document.mediaType),
                pool: old.map { LevelPool($0, kept: kept) })
        } catch {
            guard let mistaken = mistakenAnswer(document) else { throw error }
            throw SourceError(name, reason: mistaken.reason(at: name))
        }
    }

    /// The format that a response with this media type has.
    func hint(mediaType: String?) -> FormatHint { FormatHint(url: name, mediaType: mediaType) }

    private func mistakenAnswer(_ document: FetchedDocument) -> MistakenAnswer? {
        do {
            return MistakenAnswer(head: try document.file.head())
        } catch {
            return nil
        }
    }

    public func makeWatcher() -> any SourceWatcher { RemoteWatcher(self) }
}

/// A notice for logs about the copy of a remote document, or about a database.
public enum SourceNotice: Sendable, Equatable {
    /// The copy of an earlier run is served until the origin responds.
    case servesCopy(path: String, name: String)
    /// The copy exists but cannot be used.
    case copyNotRead(SourceError)
    /// The document cannot be stored on disk; it is served anyway.
    case copyNotKept(SourceError)
    /// The first load waits for a database, at most for the given number of seconds.
    case awaited(SourceError, seconds: Int)
    /// The connection to a database broke during a commit. The outcome of the commit is not known yet.
    case commitInDoubt(name: String)
    /// The outcome of a commit in doubt is now known.
    case commitSettled(name: String, isWritten: Bool)
    /// An older state of a database, such as a backup, has replaced the database. It lacks the revision that was
    /// served.
    case olderCopy(name: String, revision: String)
    /// Old revisions cannot be removed from the log of a database.
    case logKept(SourceError)
}

extension SourceNotice: CustomStringConvertible {
    /// A whole sentence, or two.
    public var description: String {
        switch self {
        case .servesCopy(let path, let name): "\(path: path): this copy is served until \(path: name) responds."
        case .copyNotRead(let error): "\(error) The copy is not used."
        case .copyNotKept(let error): "\(error) The new document is served anyway."
        case .awaited(let error, let seconds): "\(error) Loading is retried for \(seconds) seconds."
        case .commitInDoubt(let name):
            "\(name): the connection broke during a commit; the edits are answered when it is known whether they were written."
        case .commitSettled(let name, isWritten: true): "\(name): the commit in doubt is written."
        case .commitSettled(let name, isWritten: false): "\(name): the commit in doubt is not written."
        case .olderCopy(let name, let revision):
            "\(name): an older copy has replaced the database. The copy lacks revision \(revision). It is loaded, and its next revisions have another name."
        case .logKept(let error): "\(error) Until then, old revisions stay in the log."
        }
    }
}
