import Locking
import Synchronization
import Threads

/// The thread that checks the files of a certificate each second, and when it is asked to.
///
/// Two calls of `stat` a second cost nothing that matters, and notice every kind of replacement on every file system.
public final class CertificateWatcher: Sendable {
    private let files: CertificateFiles
    private let bell: Wakeup
    private let isStopping = Atomic<Bool>(false)
    private let thread = Guarded<Thread?>(nil)

    private static let milliseconds: Int64 = 1_000

    /// Starts the thread.
    ///
    /// - Throws: `ServerError` if the system has no thread or descriptor left.
    public init(_ files: CertificateFiles) throws(ServerError) {
        self.files = files
        bell = try ServerError.wrapping { () throws(SystemCallError) in try Wakeup() }
        let started = try ServerError.wrapping { () throws(SystemCallError) in
            try Thread(name: "certificates") { [files, bell, weak self] in
                Self.run(files, bell) { self?.isStopping.load(ordering: .acquiring) ?? true }
            }
        }
        thread.withLock { $0 = started }
    }

    deinit { stop() }

    /// Checks the files now, on the calling thread.
    public func check() { files.check(isAsked: true) }

    /// Ends the thread.
    public func stop() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        isStopping.store(true, ordering: .releasing)
        bell.signal()
        thread.join()
    }

    private static func run(_ files: CertificateFiles, _ bell: Wakeup, until isOver: () -> Bool) {
        while !isOver() {
            bell.wait(milliseconds: milliseconds)
            if isOver() { return }
            files.check()
        }
    }
}
