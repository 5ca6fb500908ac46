internal import PropertyLists

/// The part of a load in which a document arrives over the network: it begins with the body and ends with the transfer.
///
/// A server that follows an origin waits for it most of the time, which is not a load.
final class FetchProgress {
    private let progress: LoadProgress
    private let name: String
    private var hasBegun = false

    init(_ progress: LoadProgress, name: String) {
        self.progress = progress
        self.name = name
    }

    deinit { if hasBegun { progress.end() } }

    /// Notes that the body arrives.
    ///
    /// - Parameter bytes: its length; nil if it is not known.
    func beginBody(bytes: Int?) {
        if !hasBegun { progress.begin() }
        hasBegun = true
        progress.beginFetch(name, bytes: bytes)
    }

    func add(bytes: Int) { progress.counts.add(bytes: bytes) }
}
