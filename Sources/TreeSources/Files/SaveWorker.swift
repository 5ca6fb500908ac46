internal import Glibc
internal import Locking
internal import Threads

/// A thread that works beside the store's thread during saves. It checks new content while the content is being written
/// to disk, and closes replaced files.
///
/// The first save starts the thread. If the system cannot start a thread, the caller does the work.
final class SaveWorker {
    private var thread: WorkerThread?
    private let completion = Semaphore()
    /// The descriptors of the replaced files whose closing has not begun.
    private var replaced: [Int32] = []
    /// The number of replaced files that are not closed yet, including the files that are being closed.
    private let unclosed = Guarded(0)

    /// The maximum number of replaced files that are not closed yet. Further replaced files are closed at once.
    private static let mostUnclosed = 2

    deinit { for descriptor in replaced { _ = Glibc.close(descriptor) } }

    /// Runs a job on the thread, while the caller waits for the disk in `wait`. Returns when both have ended.
    func run<Value: Sendable>(_ job: @escaping @Sendable () -> Value, while wait: () -> Void) -> Value {
        start()
        let result = Guarded<Value?>(nil)
        let isTaken = thread?.add { [completion] in
            let value = job()
            result.withLock { $0 = value }
            completion.signal()
        }
        wait()
        guard isTaken == true else { return job() }
        completion.wait()
        return result.withLock { $0 } ?? job()
    }

    /// Takes ownership of a replaced file, which has lost its name. `beginClosing()` closes the file.
    ///
    /// Closing a file frees its blocks, and may have to wait for the disk. If space is scarce, the file is closed at
    /// once, so that its space is free when the client gets its answer.
    func close(replaced file: consuming DocumentFile) {
        guard file.isSmallBesideFreeSpace, unclosed.withLock({ $0 }) < Self.mostUnclosed else { return }
        replaced.append(file.release())
        unclosed.withLock { $0 += 1 }
    }

    /// Starts to close the replaced files; returns at once.
    func beginClosing() {
        guard !replaced.isEmpty else { return }
        start()
        let close: @Sendable () -> Void = { [replaced, unclosed] in
            for descriptor in replaced { _ = Glibc.close(descriptor) }
            unclosed.withLock { $0 -= replaced.count }
        }
        replaced = []
        if thread?.add(close) != true { close() }
    }

    /// Whether a replaced file is not closed yet.
    var isClosing: Bool { unclosed.withLock { $0 } > 0 }

    /// Waits until all replaced files are closed.
    func finishClosing() {
        guard isClosing else { return }
        beginClosing()
        // Jobs run in order, so an empty job ends after the closing.
        run({}, while: {})
    }

    private func start() {
        guard thread == nil else { return }
        do throws(SystemCallError) {
            // A client waits for the job of `run`. So the queue must have room for this job beside the files to close.
            thread = try WorkerThread(name: "store-saves", limit: Self.mostUnclosed + 1)
        } catch {
            thread = nil
        }
    }
}
