import HTTPServer
import Locking

/// Counts the files that are being sent, so that they do not take the descriptors that connections and reloads need.
final class OpenAssets: Sendable {
    /// The right to keep one file open; it ends with the object.
    final class Permit: Sendable {
        private let assets: OpenAssets

        fileprivate init(_ assets: OpenAssets) { self.assets = assets }

        deinit { assets.count.withLock { $0 -= 1 } }
    }

    private let count = Guarded(0)

    /// A permit.
    ///
    /// - Throws: `Problem` (503) if too many files are open.
    func permit() throws(Problem) -> Permit {
        let isAllowed = count.withLock { count in
            guard count < Server.openFileLimit else { return false }
            count += 1
            return true
        }
        guard isAllowed else { throw .tooManyFiles }
        return Permit(self)
    }
}
