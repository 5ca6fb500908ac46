public import Files
import Locking

/// A file of tokens, read again when it changes.
///
/// The file is checked only when tokens are needed, and at most once a second. It costs nothing while nobody needs
/// tokens.
public final class AccessTokenFile: Sendable {
    /// A notice for the operator.
    public enum Notice: Sendable, Equatable {
        /// The file was read again.
        case reread(count: Int)
        /// The file contains no tokens, so it grants no access.
        case empty
        /// A line of the file is not a token, so the line grants no access.
        case fault(AccessTokens.Fault)
        /// The file can be read or changed by users other than its owner.
        case exposed(mode: Int)
        /// The file cannot be read. It grants no access until it can be read again.
        case unreadable(String)
    }

    private struct State {
        var tokens = AccessTokens([])
        var stamp: FileStamp?
        var isReadable = true
        var looked = ContinuousClock.now
    }

    private let path: String
    private let onNotice: @Sendable (Notice) -> Void
    private let state = Guarded(State())

    private static let maximumBytes = 1 << 20
    private static let interval = Duration.seconds(1)

    /// Reads the file for the first time.
    ///
    /// - Parameter onNotice: called with each notice, on the thread that calls this initializer or `tokens(at:)`.
    /// - Throws: `SmallFile.Unreadable`.
    public init(path: String, onNotice: @escaping @Sendable (Notice) -> Void) throws(SmallFile.Unreadable) {
        self.path = path
        self.onNotice = onNotice
        let (text, stamp) = try Self.read(path)
        let tokens = AccessTokens(text)
        state.withLock { ($0.tokens, $0.stamp) = (tokens, stamp) }
        Self.notices(of: tokens, stamp: stamp).forEach(onNotice)
    }

    /// The tokens that the file contained at most a second ago.
    public func tokens(at now: ContinuousClock.Instant = .now) -> AccessTokens {
        let (tokens, notices) = state.withLock { state in
            guard now - state.looked >= Self.interval else { return (state.tokens, [Notice]()) }
            state.looked = now
            let notices = refresh(&state)
            return (state.tokens, notices)
        }
        notices.forEach(onNotice)
        return tokens
    }

    /// Reads the file if it has changed. If the file is unreadable, the list of tokens becomes empty.
    private func refresh(_ state: inout State) -> [Notice] {
        if state.stamp?.isCurrent == true { return [] }
        do throws(SmallFile.Unreadable) {
            let (text, stamp) = try Self.read(path)
            let tokens = AccessTokens(text)
            let isNew = tokens != state.tokens || !state.isReadable
            (state.tokens, state.stamp, state.isReadable) = (tokens, stamp, true)
            return isNew ? [.reread(count: tokens.count)] + Self.notices(of: tokens, stamp: stamp) : []
        } catch {
            let wasReadable = state.isReadable
            (state.tokens, state.stamp, state.isReadable) = (AccessTokens([]), nil, false)
            return wasReadable ? [.unreadable(error.description)] : []
        }
    }

    private static func notices(of tokens: AccessTokens, stamp: FileStamp) -> [Notice] {
        (tokens.isEmpty && tokens.faults.isEmpty ? [.empty] : tokens.faults.map(Notice.fault))
            + (stamp.isExposed ? [.exposed(mode: stamp.mode)] : [])
    }

    private static func read(_ path: String) throws(SmallFile.Unreadable) -> ([UInt8], FileStamp) {
        let file = try SmallFile(path: path, maximumBytes: maximumBytes)
        return (file.bytes, file.stamp)
    }
}
