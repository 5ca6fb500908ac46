internal import Locking
internal import PropertyLists

/// The progress of the running load, which another thread can read.
///
/// A load has steps: waiting for a response, receiving it, and reading files. During a step only the counts change.
///
///     let progress = LoadProgress()
///     interpretation.progress = progress
///     // On another thread:
///     if let status = progress.status { print("\(status.name): \(status.bytes) bytes") }
public final class LoadProgress: Sendable {
    public typealias Instant = ContinuousClock.Instant

    /// The activity of a load.
    public enum Step: Sendable {
        /// Waiting for an origin's response.
        case waiting
        /// Receiving a document, before it is read.
        case receiving
        /// Reading a file and building its items.
        case reading
    }

    /// A snapshot of a load's progress.
    public struct Status: Sendable, Equatable {
        /// The current step.
        public var step: Step
        /// The file or URL of the step, in the user's words.
        public var name: String
        /// The size of the step's document in bytes; nil if unknown.
        public var size: Int?
        /// The number of bytes read or received in the step so far, at most `size`.
        public var bytes = 0
        /// The number of items read from all files so far, rounded down.
        public var items = 0
        /// The number of files, including the file that is being read.
        public var files = 0
        /// The number of bytes read from all files so far.
        public var fileBytes = 0
        /// When the load began.
        public var begun: Instant
        /// When the step began.
        public var stepBegun: Instant
    }

    private struct State {
        /// The number of loads, and parts of loads, that have begun and not ended. A fetch may be part of a load, or
        /// may precede a load.
        var depth = 0
        var begun: Instant?
        var status: Status?
        /// The number of bytes counted before the step began.
        var earlierBytes = 0
    }

    /// Receives the counts of the readers.
    let counts = ReadingProgress()
    private let state = Guarded(State())
    private let onChange: @Sendable (_ isLoading: Bool) -> Void

    /// - Parameter onChange: called on the loading thread after a load's first step has begun, and after the load has
    ///   ended.
    public init(onChange: @escaping @Sendable (_ isLoading: Bool) -> Void = { _ in }) { self.onChange = onChange }

    /// The running load; nil between loads and before the first step.
    public var status: Status? {
        state.withLock { state in
            guard var status = state.status else { return nil }
            let counted = counts.bytes - state.earlierBytes
            status.bytes = min(counted, status.size ?? counted)
            status.items = counts.items
            status.fileBytes += status.step == .reading ? status.bytes : 0
            return status
        }
    }

    // MARK: Loads

    /// Records that a load, or a part of a load, begins.
    public func begin() {
        let isFirst = state.withLock { state in
            defer { state.depth += 1 }
            if state.depth == 0 { state.begun = .now }
            return state.depth == 0
        }
        if isFirst { counts.reset() }
    }

    /// Records that the load, or the part of a load, that began last has ended, successfully or not.
    public func end() {
        let wasShown = state.withLock { state in
            state.depth -= 1
            guard state.depth == 0 else { return false }
            defer { state = State() }
            return state.status != nil
        }
        if wasShown { onChange(false) }
    }

    // MARK: Steps

    /// Records a request for a document.
    func beginWaiting(for name: String) { begin(.waiting, name: name, size: nil) }

    /// Records that a document arrives.
    ///
    /// - Parameter size: nil if unknown.
    func beginFetch(_ name: String, bytes size: Int?) { begin(.receiving, name: name, size: size) }

    /// Records that the reading of a file begins, at the beginning of the file.
    ///
    /// - Returns: the counts to which the readers add the file's bytes and items.
    func beginFile(_ name: String, bytes size: Int) -> ReadingProgress {
        begin(.reading, name: name, size: size)
        return counts
    }

    private func begin(_ step: Step, name: String, size: Int?) {
        let isFirst = state.withLock { state in
            guard let begun = state.begun else { return false }
            defer { state.earlierBytes = counts.bytes }
            let isFirst = state.status == nil
            let earlier = state.status.flatMap { $0.step == .reading ? $0 : nil }
            let isFile = step == .reading
            state.status = Status(
                step: step, name: name, size: size, files: (earlier?.files ?? 0) + (isFile ? 1 : 0),
                fileBytes: earlier.map { $0.fileBytes + ($0.size ?? 0) } ?? 0, begun: begun, stepBegun: .now)
            return isFirst
        }
        if isFirst { onChange(true) }
    }
}

/// The progress of receiving a document over the network, from the beginning of the body to the end of the transfer.
///
/// The wait for an origin's response does not count as a load, because a server that follows an origin waits most of
/// the time.
final class FetchProgress {
    private let progress: LoadProgress
    private let name: String
    private var hasBegun = false

    init(progress: LoadProgress, name: String) {
        self.progress = progress
        self.name = name
    }

    deinit { if hasBegun { progress.end() } }

    /// Records that the body arrives.
    ///
    /// - Parameter bytes: the length of the body; nil if unknown.
    func beginBody(bytes: Int?) {
        if !hasBegun { progress.begin() }
        hasBegun = true
        progress.beginFetch(name, bytes: bytes)
    }

    func add(bytes: Int) { progress.counts.add(bytes: bytes) }
}
