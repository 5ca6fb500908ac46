internal import Locking
internal import PropertyLists

/// How far the running load is, for another thread to look at.
///
/// A load has steps: a response that is waited for, then received, and files that are read. Only the counts change while
/// a step runs; all else changes between steps.
public final class LoadProgress: Sendable {
    public typealias Instant = ContinuousClock.Instant

    /// What a load does.
    public enum Step: Sendable {
        /// It waits for an origin's response.
        case waiting
        /// It receives a document, before it is read.
        case receiving
        /// It reads a file and builds items of it.
        case reading
    }

    /// How far a load is.
    public struct Status: Sendable, Equatable {
        /// What the load does now.
        public var step: Step
        /// The file or URL of the step, as the user knows it.
        public var name: String
        /// The size of the step's document in bytes; nil if it is not known.
        public var size: Int?
        /// The bytes of the step so far, at most `size`.
        public var bytes = 0
        /// The items of all files so far, rounded down.
        public var items = 0
        /// The number of files that the load has begun to read.
        public var files = 0
        /// The bytes of all these files so far.
        public var fileBytes = 0
        /// When the load began.
        public var begun: Instant
        /// When the step began.
        public var stepBegun: Instant
    }

    private struct State {
        /// A fetch may be part of a load, or come before it.
        var depth = 0
        var begun: Instant?
        var status: Status?
        /// The bytes that were counted before the step began.
        var earlierBytes = 0
    }

    /// Where the readers count.
    let counts = ReadingProgress()
    private let state = Guarded(State())
    private let onChange: @Sendable (_ isLoading: Bool) -> Void

    /// - Parameter onChange: called on the loading thread after the first step of a load has begun, and after the load
    ///   has ended.
    public init(onChange: @escaping @Sendable (_ isLoading: Bool) -> Void = { _ in }) { self.onChange = onChange }

    /// The running load; nil if there is none, or it has not begun a step.
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

    /// Notes that a load, or a part of one, begins.
    public func begin() {
        let isFirst = state.withLock { state in
            defer { state.depth += 1 }
            if state.depth == 0 { state.begun = .now }
            return state.depth == 0
        }
        if isFirst { counts.reset() }
    }

    /// Notes that what began last has ended, well or not.
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

    /// Notes that an origin was asked for a document.
    func beginWaiting(for name: String) { begin(.waiting, name, size: nil) }

    /// Notes that a document arrives.
    ///
    /// - Parameter size: nil if nobody tells.
    func beginFetch(_ name: String, bytes size: Int?) { begin(.receiving, name, size: size) }

    /// Notes that a file is read from its beginning.
    ///
    /// - Returns: where its bytes and items are counted.
    func beginFile(_ name: String, bytes size: Int) -> ReadingProgress {
        begin(.reading, name, size: size)
        return counts
    }

    private func begin(_ step: Step, _ name: String, size: Int?) {
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
